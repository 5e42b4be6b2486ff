/** A first start that is interrupted ends in a state with one command to begin anew, and loses no file. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { type Database, type DatabaseClients, databaseClientsOf, sampleKind } from '../fixtures/database-clients.ts'
import { startTestBerth, type TestBerth, wait } from '../fixtures/test-berth.ts'

/** Deploys a new database, whose server has begun to initialize its data. */
async function beginFirstStart(testBerth: TestBerth, databaseClients: DatabaseClients): Promise<Database> {
  const database = await databaseClients.create({ appName: 'shop-db' })
  testBerth.engine.behave('shop-db', 'starting')
  await databaseClients.ok('deploy', database)
  await until('the container', async () => (await databaseClients.tasks(database)).length === 1)
  const record = await databaseClients.one(database)
  testBerth.engine.fillVolume(record.volume!)
  return record
}

const stateOf = (record: Database) => [record.applicationStatus, record.statusCode, record.volumeFault]
const interrupted = ['error', 'FirstStartInterrupted', 'FirstStartInterrupted']
const way = /The first start was interrupted .* Call postgres\.start with anew: true/

/** Begins anew and checks that the database runs on a new volume and that the old one is kept. */
async function checkAnew(testBerth: TestBerth, databaseClients: DatabaseClients, database: Database, verb = 'start') {
  const before = await databaseClients.one(database)
  testBerth.engine.behave('shop-db', 'running')
  const after = await databaseClients.complete(verb, database, { anew: true })
  assert.deepEqual(stateOf(after), ['done', null, null])
  assert.notEqual(after.volume, before.volume)
  const volumes = await testBerth.ok<{ name: string; state: string }[]>('volume.all')
  assert.deepEqual(
    volumes.map(({ name, state }) => [name, state]),
    [
      [before.volume, 'kept'],
      [after.volume, 'attached'],
    ],
  )
  assert.ok(testBerth.engine.volumes.has(before.volume!))
}

test('a container that dies during the initialization is not replaced by one on its incomplete files', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, sampleKind)
  const database = await beginFirstStart(testBerth, databaseClients)
  testBerth.engine.lastLines.set('shop-db', ['creating the role a databasePassword'])
  testBerth.engine.behave('shop-db', 'crash:137')
  await testBerth.engine.tasks(['shop-db'])
  testBerth.engine.behave('shop-db', 'running')
  const ended = await testBerth.until('the end', async () => {
    const record = await databaseClients.one(database)
    return record.applicationStatus === 'running' ? null : record
  })
  assert.deepEqual(stateOf(ended), interrupted)
  assert.match(ended.statusReason!, /^The server ended with exit code 137.*\ncreating the role \*+\nThe first start/)
  assert.match(ended.statusReason!, way)
  assert.equal(testBerth.engine.specOf('shop-db')!.replicas, 0)
  const again = await databaseClients.call('deploy', database, {}, wait)
  assert.deepEqual([again.status, stateOf(await databaseClients.one(database))], [422, interrupted])
  await checkAnew(testBerth, databaseClients, database)
  await databaseClients.refused('PRECONDITION_FAILED', 'start', database, { anew: true }, 'anew')
})

test('after a stop during the initialization, a start says that the files are incomplete', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, sampleKind)
  const database = await beginFirstStart(testBerth, databaseClients)
  assert.equal((await databaseClients.complete('stop', database)).applicationStatus, 'idle')
  const { status, body } = await databaseClients.call('start', database, {}, wait)
  assert.equal(status, 422)
  assert.match(body.message, way)
  assert.deepEqual(stateOf(await databaseClients.one(database)), interrupted)
  await checkAnew(testBerth, databaseClients, database, 'deploy')
})

test('acceptNewData starts the server on the incomplete files, and anew needs the scope admin', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, sampleKind)
  const database = await beginFirstStart(testBerth, databaseClients)
  await databaseClients.complete('stop', database)
  const { token } = await testBerth.ok<{ token: string }>('auth.createToken', { name: 'ci', scope: 'deploy' })
  const input = { [sampleKind.idField]: databaseClients.idOf(database), anew: true }
  assert.equal((await testBerth.call('postgres.start', input, {}, token)).status, 403)
  testBerth.engine.behave('shop-db', 'running')
  const started = await databaseClients.complete('start', database, { acceptNewData: true })
  assert.deepEqual([...stateOf(started), started.volume], ['done', null, null, database.volume])
})

test('a first start that has written nothing is repeated on the same volume', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, sampleKind)
  const database = await databaseClients.create({ appName: 'shop-db' })
  testBerth.engine.behave('shop-db', 'crash:1')
  const { status, body } = await databaseClients.call('deploy', database, {}, wait)
  assert.deepEqual([status, body.message], [422, 'The server ended with exit code 1'])
  const { volume } = await databaseClients.one(database)
  testBerth.engine.behave('shop-db', 'running')
  const started = await databaseClients.complete('start', database)
  assert.deepEqual([...stateOf(started), started.volume], ['done', null, null, volume])
})

test('a server that was ready once starts again after it was killed before the first login', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, sampleKind)
  const database = await databaseClients.create({ appName: 'shop-db' })
  const { answer } = testBerth.engine
  const refused = { exitCode: 2, stdout: '', stderr: 'no login' }
  let logins = 0
  testBerth.engine.answer = () => {
    logins++
    return refused
  }
  await databaseClients.ok('deploy', database)
  await until('a login', async () => logins > 0)
  testBerth.engine.replaceTask('shop-db')
  testBerth.engine.answer = answer
  const done = await testBerth.until('the login', async () => {
    const record = await databaseClients.one(database)
    return record.applicationStatus === 'running' ? null : record
  })
  assert.deepEqual(stateOf(done), ['done', null, null])
})

test('a kind that initializes nothing starts again on its files', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kindNamed('redis'))
  const database = await beginFirstStart(testBerth, databaseClients)
  await databaseClients.complete('stop', database)
  testBerth.engine.behave('shop-db', 'running')
  const started = await databaseClients.complete('start', database)
  assert.deepEqual([...stateOf(started), started.volume], ['done', null, null, database.volume])
})
