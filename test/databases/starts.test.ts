/** Starts that take long: nobody stops the server while its container lives, and the status shows what it does. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../engine/until.ts'
import { afterTurn, readConditions } from '../conditions/conditions.ts'
import { databaseClientsOf, sampleKind as kind, waitForRecord } from '../fixtures/database-clients.ts'
import { startTestBerth, wait } from '../fixtures/test-berth.ts'

const minute = 60_000
const week = 7 * 24 * 60 * minute

/** Waits until the record is as expected, while Berth observes the swarm and reads the logs. */
const waitForStart: typeof waitForRecord = (testBerth, databaseClients, database, isExpected) =>
  waitForRecord(testBerth, databaseClients, database, isExpected, 'starts')

test('a first start of a week is shown with the last line of its log, and is then done', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.create({ appName: 'shop-db', databasePassword: 'a-secret' })
  testBerth.engine.behave('shop-db', 'starting')
  const deploying = databaseClients.call('deploy', database, {}, wait)
  await until('the container', async () => (await databaseClients.tasks(database)).length === 1)
  const [task] = await databaseClients.tasks(database)
  testBerth.engine.printLine('shop-db', 'loading \u001b[1ma-secret\u001b[0m')
  testBerth.engine.printLine('shop-db', '')
  testBerth.pass(week)
  const shown = await waitForStart(testBerth, databaseClients, database, (it) => it.statusCode === 'Starting')
  assert.equal(shown.applicationStatus, 'running')
  assert.match(shown.statusReason!, /starting since 2030-.*silent since 2030-\S+\. Last line: loading \*+$/)
  const [work] = await testBerth.ok<Record<string, unknown>[]>('deployment.all', { state: 'running' })
  assert.deepEqual([work!.state, work!.reasonCode, work!.reason], ['running', 'Starting', shown.statusReason])
  await afterTurn(testBerth)
  const [condition] = await readConditions(testBerth, { subjectKind: 'database' })
  assert.deepEqual([condition!.name, condition!.reasonCode], ['DatabaseStarting', 'SlowStart'])
  testBerth.engine.printLine('shop-db', 'nearly there')
  await waitForStart(testBerth, databaseClients, database, (it) =>
    /Last line: nearly there$/.test(`${it.statusReason}`),
  )
  assert.deepEqual(await databaseClients.tasks(database), [task])
  testBerth.engine.behave('shop-db', 'running')
  const { status, body } = await deploying
  assert.deepEqual([status, body.applicationStatus, body.statusReason], [200, 'done', null])
  assert.deepEqual(await databaseClients.tasks(database), [task])
})

test('a long start after a change is not rolled back, and a restart of Berth goes on waiting', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.createDeployed({ appName: 'shop-db' })
  testBerth.engine.behave('shop-db', 'starting')
  await databaseClients.ok('update', database, { memoryLimit: 900 })
  await databaseClients.ok('deploy', database)
  await until('the new container', async () => testBerth.engine.specOf('shop-db')!.memoryLimitBytes !== null)
  testBerth.pass(week)
  await testBerth.restart()
  const shown = await waitForStart(testBerth, databaseClients, database, (it) => it.statusCode === 'Starting')
  assert.match(shown.statusReason!, /Its log is empty$/)
  const [task] = await databaseClients.tasks(database)
  testBerth.engine.behave('shop-db', 'running')
  await waitForStart(testBerth, databaseClients, database, (it) => it.applicationStatus === 'done')
  assert.deepEqual(await databaseClients.tasks(database), [task])
  assert.notEqual(testBerth.engine.specOf('shop-db')!.memoryLimitBytes, null)
})

test('startTimeout ends a start, also if it is set meanwhile; a transient failure then does not', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.create({ appName: 'shop-db' })
  testBerth.engine.behave('shop-db', 'starting')
  const deploying = databaseClients.call('deploy', database, {}, wait)
  await until('the container', async () => (await databaseClients.tasks(database)).length === 1)
  testBerth.pass(30 * minute)
  await waitForStart(testBerth, databaseClients, database, (it) => it.statusCode === 'Starting')
  assert.equal((await databaseClients.ok('update', database, { startTimeout: 30 })).pendingChanges, false)
  const { status, body } = await deploying
  assert.deepEqual([status, body.message], [422, 'Not ready in time: the server did not answer within 30 minutes'])
  assert.equal(testBerth.engine.specOf('shop-db')!.replicas, 0)
})

test('a repair waits for a starting server, although another Berth created its service', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.createDeployed({ appName: 'shop-db', externalPort: 5000 })
  testBerth.engine.behave('shop-db', 'starting')
  testBerth.engine.replaceTask('shop-db')
  testBerth.engine.alter('shop-db', {})
  const [task] = await databaseClients.tasks(database)
  await testBerth.engine.removeService(databaseClients.gateway(database))
  const specs = { updates: 0 }
  const { updateService } = testBerth.engine
  testBerth.engine.updateService = (spec) => {
    specs.updates++
    return updateService(spec)
  }
  const gateway = databaseClients.gateway(database)
  await testBerth.until('the repair', async () => (testBerth.engine.specOf(gateway) === null ? null : true))
  testBerth.pass(week)
  await waitForStart(testBerth, databaseClients, database, (it) => it.statusCode === 'Starting')
  testBerth.engine.behave('shop-db', 'running')
  await waitForStart(testBerth, databaseClients, database, (it) => it.applicationStatus === 'done')
  assert.deepEqual([await databaseClients.tasks(database), specs.updates], [[task], 0])
})

test('a stop ends a long start', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.createDeployed({ appName: 'shop-db' })
  testBerth.engine.behave('shop-db', 'starting')
  await databaseClients.ok('reload', database, { appName: 'shop-db' })
  await until('the container', async () => (await databaseClients.tasks(database)).length === 1)
  testBerth.pass(week)
  const stopped = await databaseClients.complete('stop', database)
  assert.deepEqual([stopped.applicationStatus, testBerth.engine.specOf('shop-db')!.replicas], ['idle', 0])
})
