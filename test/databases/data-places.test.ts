/** Data outside the volume. Berth refuses a server that keeps data there, and neither restarts nor dumps such a server. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EngineFailure } from '../../src/engine/engine.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { createDestination } from '../backups/backups.ts'
import { until } from '../engine/until.ts'
import { waitForNode } from '../nodes/cluster.ts'
import { databaseClientsOf, waitForRecord } from '../fixtures/database-clients.ts'
import { startTestBerth, wait } from '../fixtures/test-berth.ts'
import { identityOf } from './data-identity.ts'

const folder = '/var/lib/mysql'
const redo = `${folder}/#innodb_redo`
const messageOf = (place: string) => new RegExp(`^The server keeps data outside its volume, in ${place}\\. `)

/** A server whose command moves its data as `--datadir` does. Its redo log is in a folder that can be a link. */
async function openServer() {
  const testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kindNamed('mysql'))
  testBerth.engine.answer = ({ serviceName }) => {
    const { args } = testBerth.engine.specOf(serviceName)!
    const data = args.find((arg) => arg.startsWith('--datadir='))?.slice('--datadir='.length) ?? folder
    return { exitCode: 0, stdout: `8.4\n${data}\n${data}/#innodb_redo\n`, stderr: '' }
  }
  return { testBerth, databaseClients, [Symbol.asyncDispose]: () => testBerth.close() }
}

// The watch loop runs at most once a second: the tests of this file run concurrently.
describe('data outside the volume', { concurrency: true }, () => {
  deployTests()
  runningTests()
})

function deployTests(): void {
  test('fails the first deploy without a mark, and deploys after the option was removed', async () => {
    await using context = await openServer()
    const { testBerth, databaseClients } = context
    const database = await databaseClients.create({ command: '--datadir=/srv/mysql' })
    const { status, body } = await databaseClients.call('deploy', database, {}, wait)
    assert.equal(status, 422)
    assert.match(body.message, messageOf('/srv/mysql'))
    const record = await databaseClients.one(database)
    assert.deepEqual([record.applicationStatus, record.statusCode], ['error', 'DataOutsideVolume'])
    assert.equal(testBerth.engine.specOf(database.appName)!.replicas, 0)
    assert.deepEqual([...testBerth.engine.marks], [])
    assert.deepEqual(await identityOf(testBerth), { identity: null, serverVersion: null, fault: null })
    await databaseClients.ok('update', database, { command: null })
    assert.equal((await databaseClients.complete('deploy', database)).applicationStatus, 'done')
  })

  test('rolls back an update that moves the data', async () => {
    await using context = await openServer()
    const { testBerth, databaseClients } = context
    const database = await databaseClients.createDeployed()
    const before = await identityOf(testBerth)
    await databaseClients.ok('update', database, { command: '--datadir=/srv/mysql' })
    const { status, body } = await databaseClients.call('deploy', database, {}, wait)
    assert.equal(status, 422)
    assert.match(body.message, messageOf('/srv/mysql'))
    const record = await databaseClients.one(database)
    assert.deepEqual([record.applicationStatus, record.statusCode], ['error', 'RolledBack'])
    assert.deepEqual(testBerth.engine.specOf(database.appName)!.args, [])
    assert.deepEqual(await identityOf(testBerth), before)
  })
}

function runningTests(): void {
  test('neither restarts, stops nor dumps a server whose data a link moved, until it is back', async () => {
    await using context = await openServer()
    const { testBerth, databaseClients } = context
    const database = await databaseClients.createDeployed()
    const tasks = await databaseClients.tasks(database)
    const backupId = await createBackup(context, database)
    testBerth.engine.links.set(redo, '/srv/redo')
    assert.match(await failedDump(context, backupId), messageOf(`${redo} \\(a symbolic link leads to /srv/redo\\)`))
    await databaseClients.ok('update', database, { memoryLimit: 900 })
    for (const verb of ['deploy', 'stop']) {
      const { status, body } = await databaseClients.call(verb, database, {}, wait)
      assert.equal(status, 422, verb)
      assert.match(body.message, messageOf(`${redo} \\(a symbolic link leads to /srv/redo\\)`))
      const { applicationStatus, statusCode, pendingChanges } = await databaseClients.one(database)
      assert.deepEqual([applicationStatus, statusCode, pendingChanges], ['error', 'DataOutsideVolume', true])
      assert.deepEqual(await databaseClients.tasks(database), tasks, verb)
    }
    testBerth.engine.links.delete(redo)
    await waitForRecord(testBerth, databaseClients, database, ({ applicationStatus }) => applicationStatus === 'done')
    assert.equal((await databaseClients.complete('deploy', database)).pendingChanges, false)
    assert.notDeepEqual(await databaseClients.tasks(database), tasks)
  })

  test('uses the last known places of a server that cannot be asked', async () => {
    await using context = await openServer()
    const { testBerth, databaseClients } = context
    const database = await databaseClients.createDeployed()
    const backupId = await createBackup(context, database)
    const tasks = await databaseClients.tasks(database)
    const refuse = async () => {
      assert.match(await failedDump(context, backupId), messageOf('.*'))
      for (const verb of ['deploy', 'stop']) {
        const { status, body } = await databaseClients.call(verb, database, {}, wait)
        assert.equal(status, 422, verb)
        assert.match(body.message, messageOf('.*'))
      }
      assert.deepEqual(await databaseClients.tasks(database), tasks)
    }
    await databaseClients.ok('update', database, { memoryLimit: 900 })
    testBerth.engine.links.set(redo, '/srv/redo')
    testBerth.engine.answer = () => ({ exitCode: 1, stdout: '', stderr: 'Too many connections' })
    await refuse()
    await testBerth.restart()
    testBerth.engine.answer = () => {
      throw new EngineFailure('failed', 'fork: Resource temporarily unavailable')
    }
    testBerth.engine.dataPlaces = async () => {
      throw new EngineFailure('failed', 'fork: Resource temporarily unavailable')
    }
    await refuse()
  })

  test('restarts a server that cannot be asked, if its data was on the volume', async () => {
    await using context = await openServer()
    const { testBerth, databaseClients } = context
    const database = await databaseClients.createDeployed()
    const tasks = await databaseClients.tasks(database)
    testBerth.engine.dataPlaces = async () => {
      throw new EngineFailure('failed', 'fork: Resource temporarily unavailable')
    }
    await databaseClients.ok('update', database, { memoryLimit: 900 })
    await databaseClients.complete('stop', database)
    assert.notDeepEqual(await databaseClients.tasks(database), tasks)
  })

  test('removes a database whose data is outside the volume', async () => {
    await using context = await openServer()
    const { testBerth, databaseClients } = context
    const database = await databaseClients.createDeployed()
    testBerth.engine.links.set(redo, '/srv/redo')
    await databaseClients.remove(database)
  })

  test('moves no database whose data is outside the volume', async () => {
    await using context = await openServer()
    const { testBerth, databaseClients } = context
    testBerth.engine.addNode('node2', { hostname: 'second', address: '192.0.2.22' })
    await waitForNode(testBerth, 'node2')
    const database = await databaseClients.createDeployed({ node: 'node1' })
    const tasks = await databaseClients.tasks(database)
    testBerth.engine.links.set(redo, '/srv/redo')
    const { status, body } = await databaseClients.call('move', database, { node: 'second' }, wait)
    assert.equal(status, 422)
    assert.match(body.message, /could not be moved to second: The server keeps data outside its volume/)
    assert.deepEqual(await databaseClients.tasks(database), tasks)
  })
}

type Context = Awaited<ReturnType<typeof openServer>>

async function createBackup({ testBerth, databaseClients }: Context, database: Record<string, unknown>) {
  const { backupId } = await testBerth.ok<{ backupId: string }>('backup.create', {
    schedule: '0 3 * * *',
    prefix: 'nightly',
    destinationId: await createDestination(testBerth),
    database: 'shop',
    databaseType: 'mysql',
    mysqlId: databaseClients.idOf(database),
  })
  return backupId
}

/** Returns the reason of a dump that must fail. */
async function failedDump({ testBerth }: Context, backupId: string): Promise<string> {
  const { runId } = await testBerth.ok<{ runId: string }>('backup.manualBackupMySql', { backupId })
  const run = await until('the failed run', async () => {
    const runs = await testBerth.ok<Record<string, unknown>[]>('backup.runs', { backupId })
    return runs.find((candidate) => candidate.runId === runId && candidate.status === 'error')
  })
  return String(run.reason)
}
