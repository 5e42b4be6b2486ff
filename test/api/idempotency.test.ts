/** Idempotency-Key: a repeated call gets the first answer and changes nothing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { databaseClientsOf, settingsOf } from '../fixtures/database-clients.ts'
import {
  type Failure,
  type Input,
  type ProjectBody,
  type TestBerth,
  startTestBerth,
  wait,
} from '../fixtures/test-berth.ts'

const kind = kinds[0]!
const hour = 3600_000
const key = { 'idempotency-key': 'one of mine' }
const projects = async (testBerth: TestBerth) =>
  (await testBerth.ok<ProjectBody[]>('project.all')).map(({ name }) => name)

test('a repeated call gets the first answer and creates nothing', async () => {
  await using testBerth = await startTestBerth()
  const first = await testBerth.ok('project.create', { name: 'web', description: 'x' }, key)
  const before = await testBerth.everything()
  const same: Input[] = [
    { name: 'web', description: 'x' },
    { description: 'x', name: 'web' },
    { name: 'web', description: 'x', more: 1 },
  ]
  for (const input of same) assert.deepEqual(await testBerth.ok('project.create', input, key), first)
  assert.deepEqual(await testBerth.everything(), before)
  assert.deepEqual(await projects(testBerth), ['shop', 'web'])
})

test('the first answer is repeated even if the record has changed', async () => {
  await using testBerth = await startTestBerth()
  const first = await testBerth.ok<ProjectBody>('project.create', { name: 'web' }, key)
  await testBerth.ok('project.remove', { projectId: first.projectId })
  assert.deepEqual(await testBerth.ok('project.create', { name: 'web' }, key), first)
  assert.deepEqual(await projects(testBerth), ['shop'])
})

test('refuses the same key with another body', async () => {
  await using testBerth = await startTestBerth()
  await testBerth.ok('project.create', { name: 'web' }, key)
  for (const input of [{ name: 'Web' }, { name: 'web', description: null }]) {
    const { message } = await testBerth.refused('UNPROCESSABLE_CONTENT', 'project.create', input, undefined, key)
    assert.match(message, /used with another body/)
  }
})

test('a call with another key, no key, or the same key for another operation is independent', async () => {
  await using testBerth = await startTestBerth()
  const { projectId } = testBerth
  await testBerth.ok('project.create', { name: 'web' }, key)
  await testBerth.ok('project.create', { name: 'web' }, { 'idempotency-key': 'One of mine' })
  await testBerth.ok('project.create', { name: 'web' })
  await testBerth.ok('project.update', { projectId, name: 'web' }, key)
  assert.deepEqual(await projects(testBerth), ['web', 'web', 'web', 'web'])
})

test('the key applies to all tokens of an account, but not to other accounts', async () => {
  await using testBerth = await startTestBerth()
  const first = await testBerth.ok<ProjectBody>('project.create', { name: 'web' }, key)
  const other = await testBerth.ok<ProjectBody>('project.create', { name: 'web' }, key, testBerth.user)
  assert.notEqual(other.projectId, first.projectId)
  const { token } = await testBerth.ok<{ token: string }>('auth.generateToken')
  assert.deepEqual(await testBerth.ok('project.create', { name: 'web' }, key, token), first)
  assert.deepEqual(await projects(testBerth), ['shop', 'web', 'web'])
})

test('answers are stored for 24 hours, also across a restart', async () => {
  await using testBerth = await startTestBerth()
  const first = await testBerth.ok<ProjectBody>('project.create', { name: 'web' }, key)
  await testBerth.restart()
  testBerth.pass(24 * hour - 1000)
  assert.deepEqual(await testBerth.ok('project.create', { name: 'web' }, key), first)
  testBerth.pass(1000)
  const second = await testBerth.ok<ProjectBody>('project.create', { name: 'web' }, key)
  assert.notEqual(second.projectId, first.projectId)
  assert.deepEqual(await testBerth.ok('project.create', { name: 'web' }, key), second)
})

test('answers and inputs are sealed in the store', async () => {
  await using testBerth = await startTestBerth()
  const { token } = await testBerth.ok<{ token: string }>('auth.generateToken', {}, key)
  assert.deepEqual(await testBerth.ok('auth.generateToken', {}, key), { token })
  await testBerth.ok('auth.get', {}, {}, token)
  await testBerth.ok(
    `${kind.name}.create`,
    { name: 'unseen', appName: 'unseen', projectId: testBerth.projectId, ...settingsOf(kind) },
    key,
  )
  const rows = (await testBerth.everything()).idempotency!
  assert.equal(rows.length, 2)
  const text = JSON.stringify(rows.map(({ answer, bodyHash }) => [answer, bodyHash]))
  for (const secret of [token, 'unseen', ...Object.values(settingsOf(kind))]) assert.ok(!text.includes(secret), secret)
})

test('does not store refusals, so a refused call can be repeated', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const taken = await databaseClients.create({ appName: 'taken' })
  const input = { name: 'db', appName: 'taken', projectId: testBerth.projectId, ...settingsOf(kind) }
  await testBerth.refused('CONFLICT', `${kind.name}.create`, input, 'appName', key)
  await testBerth.refused('BAD_REQUEST', `${kind.name}.create`, { ...input, name: '' }, 'name', key)
  await databaseClients.remove(taken)
  await testBerth.ok(`${kind.name}.create`, input, key)
})

test('starts work once, and a repeated call can wait for it', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.create()
  const first = await databaseClients.ok('deploy', database, {}, key)
  assert.equal(first.applicationStatus, 'running')
  assert.equal((await databaseClients.ok('deploy', database, {}, { ...key, ...wait })).applicationStatus, 'done')
  assert.deepEqual(await databaseClients.ok('deploy', database, {}, key), first)
  assert.equal((await testBerth.everything()).deployment!.length, 1)
})

test('a repeated call does not start failed work again and gets the same error', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.create({ dockerImage: 'no-such-image:1' })
  const replies = [
    await databaseClients.call('deploy', database, {}, { ...key, ...wait }),
    await databaseClients.call('deploy', database, {}, { ...key, ...wait }),
  ]
  assert.deepEqual(
    replies.map(({ status }) => status),
    [422, 422],
  )
  assert.deepEqual(replies[1]!.body, replies[0]!.body)
  assert.equal((await testBerth.everything()).deployment!.length, 1)
})

test('refuses a key while its first call is in progress, and accepts it afterwards', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.create({ appName: 'shop-db' })
  testBerth.engine.behave('shop-db', 'starting')
  const waiting = databaseClients.call('deploy', database, {}, { ...key, ...wait })
  await until('the work', async () => testBerth.engine.specOf('shop-db') !== null)
  const { status, body } = await databaseClients.call('deploy', database, {}, key)
  assert.deepEqual([status, body.code], [409, 'CONFLICT'])
  assert.match(body.message, /Idempotency-Key is still in progress/)
  assert.equal((await testBerth.call('project.create', { name: 'web' }, key)).status, 200)
  testBerth.engine.behave('shop-db', 'running')
  assert.equal((await waiting).status, 200)
  assert.equal((await databaseClients.call('deploy', database, {}, key)).status, 200)
})

test('concurrent calls with one key have one effect', async () => {
  await using testBerth = await startTestBerth()
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => testBerth.call<Failure>('project.create', { name: 'web' }, key)),
  )
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200, 409]))
  assert.equal(replies.filter(({ status }) => status === 200).length, 1)
  assert.deepEqual(await projects(testBerth), ['shop', 'web'])
})

test('a key has 1 to 255 printable characters', async () => {
  await using testBerth = await startTestBerth()
  await testBerth.ok('project.create', { name: 'web' }, { 'idempotency-key': '~'.repeat(255) })
  for (const wrong of ['', 'x'.repeat(256), 'ü', 'a\tb']) {
    await testBerth.refused('BAD_REQUEST', 'project.create', { name: 'web' }, 'Idempotency-Key', {
      'idempotency-key': wrong,
    })
  }
})

test('reads ignore the key', async () => {
  await using testBerth = await startTestBerth()
  for (const count of [1, 2]) {
    assert.equal((await testBerth.ok<unknown[]>('project.all', {}, key)).length, count)
    await testBerth.ok('project.create', { name: 'web' })
  }
  assert.deepEqual((await testBerth.everything()).idempotency, [])
})
