/** Calls during long work on databases: waits, superseding calls, and work on many databases. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { type TestBerth, startTestBerth, wait } from '../fixtures/test-berth.ts'

const kind = kinds[0]!
const deployments = async (testBerth: TestBerth) => (await testBerth.everything()).deployment!
const endsOf = async (testBerth: TestBerth) =>
  (await deployments(testBerth)).map(({ action, state }) => `${action} ${state}`)

test('responds 200 with status running when the wait expires', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.create({ appName: 'shop-db' })
  testBerth.engine.behave('shop-db', 'starting')
  const { status, body, headers } = await databaseClients.call('deploy', database, {}, { prefer: 'wait=1' })
  assert.deepEqual([status, body.applicationStatus, headers['preference-applied']], [200, 'running', 'wait=1'])
  testBerth.engine.behave('shop-db', 'running')
  assert.equal((await databaseClients.complete('deploy', database)).applicationStatus, 'done')
})

test('responds 422 with the reason when the work fails during the wait', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.create({ dockerImage: 'no-such-image:1' })
  const { status, body } = await databaseClients.call('deploy', database, {}, wait)
  const { applicationStatus, statusReason } = await databaseClients.one(database)
  const failure = { message: statusReason, code: 'UNPROCESSABLE_CONTENT', issues: [], reason: 'ImageMissing' }
  assert.deepEqual([status, body], [422, failure])
  assert.deepEqual([applicationStatus, await endsOf(testBerth)], ['error', ['deploy error']])
})

test('responds 409 to a wait for work that a later call supersedes', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.create({ appName: 'shop-db' })
  testBerth.engine.behave('shop-db', 'starting')
  const waiting = databaseClients.call('deploy', database, {}, wait)
  await until('the work', async () => testBerth.engine.specOf('shop-db') !== null)
  const stopped = await databaseClients.complete('stop', database)
  const { status, body } = await waiting
  assert.deepEqual([status, body.code, stopped.applicationStatus], [409, 'CONFLICT', 'idle'])
  assert.deepEqual(await endsOf(testBerth), ['deploy superseded', 'stop done'])
  assert.deepEqual(await testBerth.engine.liveContainers('shop-db'), [])
})

test('does not wait without Prefer, and does not confirm a wait for a call without work', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.create()
  const replies = [
    await databaseClients.call('deploy', database),
    await databaseClients.call('update', database, { name: 'b' }, wait),
    await databaseClients.call('saveEnvironment', database, { env: 'A=1' }, wait),
    await databaseClients.call('one', database, {}, wait),
  ]
  for (const { status, headers } of replies) assert.deepEqual([status, headers['preference-applied']], [200, undefined])
})

test('completes only the last of many concurrent calls, with one service', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.createDeployed({ appName: 'shop-db' })
  const verbs = ['stop', 'deploy', 'stop', 'start', 'stop', 'deploy']
  const replies = await Promise.all(verbs.map((verb) => databaseClients.call(verb, database, {}, wait)))
  assert.deepEqual(
    replies.map(({ status }) => status),
    [409, 409, 409, 409, 409, 200],
  )
  assert.equal((await databaseClients.one(database)).applicationStatus, 'done')
  assert.deepEqual([(await databaseClients.tasks(database)).length, (await testBerth.engine.services()).length], [1, 1])
  const rows = await deployments(testBerth)
  assert.equal(rows.length, verbs.length + 1)
  for (const { finishedAt } of rows) assert.notEqual(finishedAt, null)
})

test('deploys a change that was made during a deploy at the next deploy', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.create({ appName: 'shop-db' })
  testBerth.engine.behave('shop-db', 'starting')
  await databaseClients.ok('deploy', database)
  await until('the service', async () => testBerth.engine.specOf('shop-db') !== null)
  assert.equal((await databaseClients.ok('saveEnvironment', database, { env: 'A=1' })).pendingChanges, true)
  await databaseClients.ok('deploy', database)
  testBerth.engine.behave('shop-db', 'running')
  const done = await until('the end', async () => {
    const record = await databaseClients.one(database)
    return record.applicationStatus === 'done' && record
  })
  assert.deepEqual([done.pendingChanges, testBerth.engine.specOf('shop-db')!.env.A], [false, '1'])
})

test('overwrites a status that changeStatus set during the work', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.create({ appName: 'shop-db' })
  testBerth.engine.behave('shop-db', 'starting')
  await databaseClients.ok('deploy', database)
  assert.equal(
    (await databaseClients.ok('changeStatus', database, { applicationStatus: 'idle' })).applicationStatus,
    'idle',
  )
  testBerth.engine.behave('shop-db', 'running')
  await until('the end', async () => (await databaseClients.one(database)).applicationStatus === 'done')
})

test('removes the service of a deploy in progress', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.create({ appName: 'shop-db' })
  await databaseClients.ok('saveExternalPort', database, { externalPort: 5000 })
  testBerth.engine.behave('shop-db', 'starting')
  await databaseClients.ok('deploy', database)
  await until('the service', async () => testBerth.engine.specOf('shop-db') !== null)
  await databaseClients.remove(database)
  assert.deepEqual(await endsOf(testBerth), ['deploy superseded', 'remove done'])
})

test('completes a deploy while other databases start slowly or do not answer', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const { promise: hanging, resolve } = Promise.withResolvers<{ exitCode: number; stdout: string; stderr: string }>()
  const answer = testBerth.engine.answer
  testBerth.engine.answer = (task, program) => (task.serviceName === 'mute' ? hanging : answer(task, program))
  testBerth.engine.behave('slow', 'preparing')
  const [slow, mute] = [
    await databaseClients.create({ appName: 'slow' }),
    await databaseClients.create({ appName: 'mute' }),
  ]
  for (const database of [slow, mute]) await databaseClients.ok('deploy', database)
  await until('the programs', async () => testBerth.engine.calls.run > 0)
  assert.equal((await databaseClients.createDeployed({ appName: 'quick' })).applicationStatus, 'done')
  for (const database of [slow, mute]) assert.equal((await databaseClients.one(database)).applicationStatus, 'running')
  resolve({ exitCode: 0, stdout: '', stderr: '' })
  testBerth.engine.behave('slow', 'running')
  for (const database of [slow, mute])
    await until('the end', async () => (await databaseClients.one(database)).applicationStatus === 'done')
})

test('completes more concurrent deploys than the concurrency limit', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const databases = await Promise.all(Array.from({ length: 70 }, () => databaseClients.create()))
  const replies = await Promise.all(databases.map((database) => databaseClients.call('deploy', database, {}, wait)))
  assert.deepEqual(
    new Set(replies.map(({ status, body }) => `${status} ${body.applicationStatus}`)),
    new Set(['200 done']),
  )
  assert.equal(new Set((await testBerth.engine.services()).map(({ name }) => name)).size, 70)
})
