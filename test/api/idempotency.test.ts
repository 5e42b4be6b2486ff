/** Idempotency-Key: the same call again gets the first answer again, and does nothing a second time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { fleetOf, settingsOf } from '../fixtures/fleet.ts'
import { type Failure, type Input, type ProjectBody, type Site, startSite, wait } from '../fixtures/site.ts'

const kind = kinds[0]!
const hour = 3600_000
const key = { 'idempotency-key': 'one of mine' }
const projects = async (site: Site) => (await site.ok<ProjectBody[]>('project.all')).map(({ name }) => name)

test('the same call again gets the first answer, and makes nothing', async () => {
  await using site = await startSite()
  const first = await site.ok('project.create', { name: 'web', description: 'x' }, key)
  const before = await site.everything()
  const same: Input[] = [
    { name: 'web', description: 'x' },
    { description: 'x', name: 'web' },
    { name: 'web', description: 'x', more: 1 },
  ]
  for (const input of same) assert.deepEqual(await site.ok('project.create', input, key), first)
  assert.deepEqual(await site.everything(), before)
  assert.deepEqual(await projects(site), ['shop', 'web'])
})

test('the first answer stands, whatever has become of it since', async () => {
  await using site = await startSite()
  const first = await site.ok<ProjectBody>('project.create', { name: 'web' }, key)
  await site.ok('project.remove', { projectId: first.projectId })
  assert.deepEqual(await site.ok('project.create', { name: 'web' }, key), first)
  assert.deepEqual(await projects(site), ['shop'])
})

test('the same key with another body is refused', async () => {
  await using site = await startSite()
  await site.ok('project.create', { name: 'web' }, key)
  for (const input of [{ name: 'Web' }, { name: 'web', description: null }]) {
    const { message } = await site.refused('UNPROCESSABLE_CONTENT', 'project.create', input, undefined, key)
    assert.match(message, /used with another body/)
  }
})

test('another key, no key, or the key for another operation is another call', async () => {
  await using site = await startSite()
  const { projectId } = site
  await site.ok('project.create', { name: 'web' }, key)
  await site.ok('project.create', { name: 'web' }, { 'idempotency-key': 'One of mine' })
  await site.ok('project.create', { name: 'web' })
  await site.ok('project.update', { projectId, name: 'web' }, key)
  assert.deepEqual(await projects(site), ['web', 'web', 'web', 'web'])
})

test('another account with the same key is another call; another token of the same account is not', async () => {
  await using site = await startSite()
  const first = await site.ok<ProjectBody>('project.create', { name: 'web' }, key)
  const other = await site.ok<ProjectBody>('project.create', { name: 'web' }, key, site.user)
  assert.notEqual(other.projectId, first.projectId)
  const { token } = await site.ok<{ token: string }>('auth.generateToken')
  assert.deepEqual(await site.ok('project.create', { name: 'web' }, key, token), first)
  assert.deepEqual(await projects(site), ['shop', 'web', 'web'])
})

test('it is remembered over a restart, and for 24 hours', async () => {
  await using site = await startSite()
  const first = await site.ok<ProjectBody>('project.create', { name: 'web' }, key)
  await site.restart()
  site.pass(24 * hour - 1000)
  assert.deepEqual(await site.ok('project.create', { name: 'web' }, key), first)
  site.pass(1000)
  const second = await site.ok<ProjectBody>('project.create', { name: 'web' }, key)
  assert.notEqual(second.projectId, first.projectId)
  assert.deepEqual(await site.ok('project.create', { name: 'web' }, key), second)
})

test('answers and what was asked lie sealed in the store', async () => {
  await using site = await startSite()
  const { token } = await site.ok<{ token: string }>('auth.generateToken', {}, key)
  assert.deepEqual(await site.ok('auth.generateToken', {}, key), { token })
  await site.ok('auth.get', {}, {}, token)
  await site.ok(
    `${kind.name}.create`,
    { name: 'unseen', appName: 'unseen', projectId: site.projectId, ...settingsOf(kind) },
    key,
  )
  const rows = (await site.everything()).idempotency!
  assert.equal(rows.length, 2)
  const text = JSON.stringify(rows.map(({ answer, bodyHash }) => [answer, bodyHash]))
  for (const secret of [token, 'unseen', ...Object.values(settingsOf(kind))]) assert.ok(!text.includes(secret), secret)
})

test('only a 200 is kept: after a refusal the key is as good as new', async () => {
  await using site = await startSite()
  const fleet = fleetOf(site, kind)
  const taken = await fleet.create({ appName: 'taken' })
  const input = { name: 'db', appName: 'taken', projectId: site.projectId, ...settingsOf(kind) }
  await site.refused('CONFLICT', `${kind.name}.create`, input, 'appName', key)
  await site.refused('BAD_REQUEST', `${kind.name}.create`, { ...input, name: '' }, 'name', key)
  await fleet.gone(taken)
  await site.ok(`${kind.name}.create`, input, key)
})

test('work is begun once; the wait can be asked for again', async () => {
  await using site = await startSite()
  const fleet = fleetOf(site, kind)
  const made = await fleet.create()
  const first = await fleet.act('deploy', made, {}, key)
  assert.equal(first.applicationStatus, 'running')
  assert.equal((await fleet.act('deploy', made, {}, { ...key, ...wait })).applicationStatus, 'done')
  assert.deepEqual(await fleet.act('deploy', made, {}, key), first)
  assert.equal((await site.everything()).deployment!.length, 1)
})

test('work that failed is not begun again by the same key: the wait for it says the same again', async () => {
  await using site = await startSite()
  const fleet = fleetOf(site, kind)
  const made = await fleet.create({ dockerImage: 'no-such-image:1' })
  const replies = [
    await fleet.ask('deploy', made, {}, { ...key, ...wait }),
    await fleet.ask('deploy', made, {}, { ...key, ...wait }),
  ]
  assert.deepEqual(
    replies.map(({ status }) => status),
    [422, 422],
  )
  assert.deepEqual(replies[1]!.body, replies[0]!.body)
  assert.equal((await site.everything()).deployment!.length, 1)
})

test('a key whose first call is still in flight is refused, and works when that has ended', async () => {
  await using site = await startSite()
  const fleet = fleetOf(site, kind)
  const made = await fleet.create({ appName: 'shop-db' })
  site.engine.behave('shop-db', 'starting')
  const waiting = fleet.ask('deploy', made, {}, { ...key, ...wait })
  await until('the work', async () => site.engine.specOf('shop-db') !== null)
  const { status, body } = await fleet.ask('deploy', made, {}, key)
  assert.deepEqual([status, body.code], [409, 'CONFLICT'])
  assert.match(body.message, /Idempotency-Key is under way/)
  assert.equal((await site.call('project.create', { name: 'web' }, key)).status, 200)
  site.engine.behave('shop-db', 'running')
  assert.equal((await waiting).status, 200)
  assert.equal((await fleet.ask('deploy', made, {}, key)).status, 200)
})

test('many calls with one key at once make one', async () => {
  await using site = await startSite()
  const replies = await Promise.all(
    Array.from({ length: 10 }, () => site.call<Failure>('project.create', { name: 'web' }, key)),
  )
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200, 409]))
  assert.equal(replies.filter(({ status }) => status === 200).length, 1)
  assert.deepEqual(await projects(site), ['shop', 'web'])
})

test('a key has 1 to 255 printable characters', async () => {
  await using site = await startSite()
  await site.ok('project.create', { name: 'web' }, { 'idempotency-key': '~'.repeat(255) })
  for (const wrong of ['', 'x'.repeat(256), 'ü', 'a\tb']) {
    await site.refused('BAD_REQUEST', 'project.create', { name: 'web' }, 'Idempotency-Key', {
      'idempotency-key': wrong,
    })
  }
})

test('a read takes no notice of it', async () => {
  await using site = await startSite()
  for (const count of [1, 2]) {
    assert.equal((await site.ok<unknown[]>('project.all', {}, key)).length, count)
    await site.ok('project.create', { name: 'web' })
  }
  assert.deepEqual((await site.everything()).idempotency, [])
})
