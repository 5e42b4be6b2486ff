/** Clients reach a server only after Berth has checked its data: until then its health check waits for a clearance. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineFailure } from '../../src/engine/engine.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { databaseClientsOf, sampleKind as kind, waitForRecord } from '../fixtures/database-clients.ts'
import { startTestBerth, wait } from '../fixtures/test-berth.ts'
import { checkHalted, dataReplaced, replaceData } from './data-identity.ts'

async function openAnswering(name = kind.name) {
  const testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kindNamed(name))
  testBerth.engine.behave('shop-db', 'answering')
  return { testBerth, databaseClients, [Symbol.asyncDispose]: () => testBerth.close() }
}

const refused = { exitCode: 1, stdout: '', stderr: 'Access denied' }

test('a first deploy marks the data and clears the server, logs in once, and is done when clients can', async () => {
  await using context = await openAnswering()
  const { testBerth, databaseClients } = context
  const { engine } = testBerth
  const { clear } = engine
  const marks: (string | null)[] = []
  engine.clear = async (...args) => {
    marks.push(await clear(...args))
    return marks.at(-1)!
  }
  const database = await databaseClients.createDeployed({ appName: 'shop-db' })
  assert.equal(database.applicationStatus, 'done')
  assert.deepEqual(marks, [...engine.marks.values()])
  const [spec, calls] = [engine.specOf('shop-db')!, engine.calls.dataPlaces]
  assert.equal(spec.health!.at(-2), `${kind.dataPath(null)}/berth-clearance`)
  engine.behave('shop-db', 'answering')
  await databaseClients.complete('reload', database, { appName: 'shop-db' })
  assert.equal(engine.calls.dataPlaces, 2 * calls)
})

test('a server with data outside its volume is never cleared', async () => {
  await using context = await openAnswering('mysql')
  const { testBerth, databaseClients } = context
  testBerth.engine.answer = () => ({ exitCode: 0, stdout: '8.4\n/srv/mysql\n', stderr: '' })
  const database = await databaseClients.create({ appName: 'shop-db' })
  const { status, body } = await databaseClients.call('deploy', database, {}, wait)
  assert.equal(status, 422)
  assert.match(body.message, /^The server keeps data outside its volume, in \/srv\/mysql/)
  assert.deepEqual([testBerth.engine.calls.clear, testBerth.engine.specOf('shop-db')!.replicas], [0, 0])
})

test('a deploy on replaced data is halted before the server is cleared', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.createDeployed({ appName: 'shop-db' })
  const cleared = testBerth.engine.calls.clear
  await databaseClients.complete('stop', database)
  replaceData({ testBerth, database })
  testBerth.engine.behave('shop-db', 'answering')
  const { status } = await databaseClients.call('start', database, {}, wait)
  assert.equal(status, 422)
  await checkHalted(
    { testBerth, databaseClients, database, [Symbol.asyncDispose]: async () => {} },
    dataReplaced,
    'DataReplaced',
  )
  assert.equal(testBerth.engine.calls.clear, cleared)
})

test('a clearance that cannot be written fails the deploy with the message of the system', async () => {
  await using context = await openAnswering()
  const { testBerth, databaseClients } = context
  testBerth.engine.clear = async () => {
    testBerth.pass(20_000)
    throw new EngineFailure(
      'failed',
      'Cannot write the file berth-clearance in the data folder: No space left on device',
    )
  }
  const database = await databaseClients.create({ appName: 'shop-db' })
  const { status, body } = await databaseClients.call('deploy', database, {}, wait)
  assert.equal(status, 422)
  assert.match(body.message, /No space left on device/)
  assert.equal(testBerth.engine.specOf('shop-db')!.replicas, 0)
})

test('a server that answers and refuses every login fails the deploy, although its container was starting for long', async () => {
  await using context = await openAnswering()
  const { testBerth, databaseClients } = context
  testBerth.engine.answer = () => {
    testBerth.pass(5000)
    return refused
  }
  testBerth.engine.behave('shop-db', 'starting')
  const database = await databaseClients.create({ appName: 'shop-db' })
  const deploying = databaseClients.call('deploy', database, {}, wait)
  await until('the container', async () => (await databaseClients.tasks(database)).length === 1)
  testBerth.pass(7 * 24 * 3_600_000)
  testBerth.engine.behave('shop-db', 'answering')
  const { status, body } = await deploying
  assert.equal(status, 422)
  assert.match(body.message, /Access denied/)
  assert.equal(testBerth.engine.calls.clear, 0)
})

test('a restarted server whose volume has lost the clearance is cleared without a deployment', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.createDeployed({ appName: 'shop-db' })
  testBerth.engine.behave('shop-db', 'answering')
  testBerth.engine.replaceTask('shop-db')
  testBerth.pass(11_000)
  const [task] = await databaseClients.tasks(database)
  await waitForRecord(testBerth, databaseClients, database, () => testBerth.engine.calls.clear > 0)
  await waitForRecord(testBerth, databaseClients, database, ({ applicationStatus }) => applicationStatus === 'done')
  assert.equal((await databaseClients.tasks(database))[0], task)
})

test('a server whose password was changed inside still reaches clients that know it, but not with a new command', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.createDeployed({ appName: 'shop-db' })
  testBerth.engine.answer = () => {
    testBerth.pass(5000)
    return refused
  }
  for (const [field, clearances] of [
    ['command', 1],
    ['memoryLimit', 2],
  ] as const) {
    testBerth.engine.behave('shop-db', 'answering')
    await databaseClients.ok(
      'update',
      database,
      field === 'command' ? { command: '--verbose' } : { command: null, memoryLimit: 900 },
    )
    const { status, body } = await databaseClients.call('deploy', database, {}, wait)
    assert.equal(status, 422)
    assert.match(body.message, /Access denied/)
    // The rollback of the command starts the last good server, which is cleared. The new memory limit moves no data.
    assert.equal(testBerth.engine.calls.clear, clearances, field)
    assert.deepEqual([testBerth.engine.specOf('shop-db')!.replicas], [1])
  }
})
