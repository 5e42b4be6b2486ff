/** Work on databases resumes after a failure of the engine or a restart of Berth. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { type Database, databaseClientsOf, waitForRecord } from '../fixtures/database-clients.ts'
import { type TestBerth, startTestBerth, wait } from '../fixtures/test-berth.ts'

const kind = kinds[0]!
const deployments = async (testBerth: TestBerth) => (await testBerth.everything()).deployment!

test('accepts calls while the engine does not answer, and completes the work afterwards', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const [a, b, c, d, e] = (await Promise.all(Array.from({ length: 5 }, () => databaseClients.createDeployed()))) as [
    Database,
    Database,
    Database,
    Database,
    Database,
  ]
  const database = await databaseClients.create()
  await databaseClients.complete('stop', b)
  testBerth.engine.setDown(true)
  const replies = [
    await databaseClients.call('stop', a),
    await databaseClients.call('start', b),
    await databaseClients.call('reload', c, { appName: c.appName }),
    await databaseClients.call('saveExternalPort', d, { externalPort: 5000 }),
    await databaseClients.call('deploy', database),
  ]
  for (const { status, body } of replies) assert.deepEqual([status, body.applicationStatus], [200, 'running'])
  assert.equal((await databaseClients.call('remove', e)).status, 200)
  for (const each of [a, b, c, d, database])
    assert.equal((await databaseClients.one(each)).applicationStatus, 'running')
  assert.equal((await testBerth.ok<unknown[]>('project.all')).length, 1)
  testBerth.engine.setDown(false)
  const wanted = ['idle', 'done', 'done', 'done', 'done']
  await until('the end of all work', async () => {
    const statuses = await Promise.all(
      [a, b, c, d, database].map(async (each) => (await databaseClients.one(each)).applicationStatus),
    )
    return statuses.join() === wanted.join()
  })
  await until('the removal', async () => (await testBerth.engine.servicesNamed([e.appName])).length === 0)
})

test('completes a deploy and its wait after an outage of the engine', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.create({ appName: 'shop-db' })
  testBerth.engine.behave('shop-db', 'starting')
  const waiting = databaseClients.call('deploy', database, {}, wait)
  await until('the service', async () => testBerth.engine.specOf('shop-db') !== null)
  testBerth.engine.setDown(true)
  // Depending on who asks first, a loop finds the engine down, or the gate, which then holds the loops back.
  const engineQueries = () => testBerth.engine.calls.prepare + testBerth.engine.calls.readCharge
  const before = engineQueries()
  await until('two failed engine queries', async () => engineQueries() > before + 1)
  testBerth.engine.behave('shop-db', 'running')
  assert.equal((await databaseClients.one(database)).applicationStatus, 'running')
  testBerth.engine.setDown(false)
  const { status, body } = await waiting
  assert.deepEqual([status, body.applicationStatus], [200, 'done'])
})

test('resumes interrupted work of each kind after a restart', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const [a, b, c] = [
    await databaseClients.createDeployed({ appName: 'a' }),
    await databaseClients.createDeployed({ appName: 'b' }),
    await databaseClients.create({ appName: 'c' }),
  ]
  testBerth.engine.behave('c', 'starting')
  await databaseClients.ok('deploy', c)
  await until('the service', async () => testBerth.engine.specOf('c') !== null)
  testBerth.engine.setDown(true)
  await databaseClients.ok('stop', a)
  await databaseClients.ok('remove', b, { removeData: true })
  await testBerth.restart()
  assert.deepEqual(
    [(await databaseClients.one(a)).applicationStatus, (await databaseClients.one(c)).applicationStatus],
    ['running', 'running'],
  )
  testBerth.engine.behave('c', 'running')
  testBerth.engine.setDown(false)
  await until('the end of all work', async () => (await deployments(testBerth)).every(({ state }) => state === 'done'))
  assert.deepEqual(
    [(await databaseClients.one(a)).applicationStatus, (await databaseClients.one(c)).applicationStatus],
    ['idle', 'done'],
  )
  await databaseClients.refused('NOT_FOUND', 'one', b)
  assert.deepEqual(
    (await testBerth.engine.services()).map(({ name }) => name),
    ['a', 'c'],
  )
  assert.equal(testBerth.engine.volumes.size, 2)
})

test('stop waits until the container has ended, and reports a long wait', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.createDeployed()
  const { liveContainers } = testBerth.engine
  testBerth.engine.liveContainers = async (name) =>
    name === database.appName ? ['db.1.stubborn'] : liveContainers(name)
  await databaseClients.ok('stop', database)
  const engineQueries = testBerth.engine.calls.services
  await testBerth.until('some engine queries', async () =>
    testBerth.engine.calls.services > engineQueries + 2 ? true : null,
  )
  assert.deepEqual(
    [(await databaseClients.one(database)).statusReason, (await databaseClients.one(database)).applicationStatus],
    [null, 'running'],
  )
  testBerth.pass(2 * 60_000)
  const reported = await waitForRecord(
    testBerth,
    databaseClients,
    database,
    ({ statusReason }) => statusReason !== null,
  )
  assert.equal(reported.statusReason, 'Container db.1.stubborn has not stopped yet')
  testBerth.engine.liveContainers = liveContainers
  const stopped = await waitForRecord(
    testBerth,
    databaseClients,
    database,
    ({ applicationStatus }) => applicationStatus !== 'running',
  )
  assert.deepEqual([stopped.applicationStatus, stopped.statusReason], ['idle', null])
})

test('updates the service again if Swarm did not stop its task', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.createDeployed()
  const { updateService, tasks, liveContainers } = testBerth.engine
  const running = await tasks([database.appName])
  let updates = 0
  testBerth.engine.updateService = (spec) => {
    updates++
    return updateService(spec)
  }
  const isForgotten = () => updates === 1
  testBerth.engine.liveContainers = async (name) => (isForgotten() ? [`${name}.1.forgotten`] : liveContainers(name))
  testBerth.engine.tasks = async (names) => (isForgotten() ? running : tasks(names))
  assert.equal((await databaseClients.complete('stop', database)).applicationStatus, 'idle')
  assert.equal(updates, 2)
})

test('changes nothing on a restart without work', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.createDeployed()
  const before = [await testBerth.everything(), testBerth.changes()]
  const engineQueries = testBerth.engine.calls.tasks
  await testBerth.restart()
  await until('an engine query', async () => testBerth.engine.calls.tasks > engineQueries)
  assert.deepEqual([await testBerth.everything(), testBerth.changes()], before)
  assert.deepEqual(await databaseClients.one(database), database)
})
