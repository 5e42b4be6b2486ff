/** Data of another database on a volume. Berth detects it, accepts it only on request, and never dumps or copies it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EngineFailure } from '../../src/engine/engine.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { createDestination } from '../backups/backups.ts'
import { waitForNode } from '../nodes/cluster.ts'
import {
  checkHalted,
  identityOf,
  kind,
  volumeMissing,
  replaceData,
  dataReplaced,
  openRunning,
} from './data-identity.ts'
import { databaseClientsOf, waitForRecord } from '../fixtures/database-clients.ts'
import { fakeVolumes } from './fake-volumes.ts'
import { startTestBerth, wait } from '../fixtures/test-berth.ts'

// The watch loop runs at most once a second: the tests of this file run concurrently.
describe('foreign data', { concurrency: true }, () => {
  watchTests()
  acceptTests()
  copyTests()
})

function watchTests(): void {
  for (const state of ['running', 'starting'] as const) {
    test(`stops a container that is ${state} on an empty volume, and reports an error`, async () => {
      await using context = await openRunning()
      const { testBerth, databaseClients, database } = context
      if (state === 'starting') testBerth.engine.behave(database.appName, 'starting')
      replaceData(context, null)
      const { run } = testBerth.engine.calls
      testBerth.engine.replaceTask(database.appName)
      await testBerth.until('the stop', async () => testBerth.engine.specOf(database.appName)!.replicas === 0 || null)
      const halted = await waitForRecord(
        testBerth,
        databaseClients,
        database,
        ({ containerState }) => containerState === null,
      )
      assert.match(halted.statusReason!, dataReplaced)
      await checkHalted(context, dataReplaced, 'DataReplaced')
      const [, stop] = (await testBerth.everything()).deployment!
      assert.deepEqual([stop!.action, stop!.state, stop!.phase], ['halt', 'error', 'halt'])
      assert.equal(testBerth.engine.calls.run, run)
      testBerth.engine.behave(database.appName, 'running')
      assert.equal((await databaseClients.call('start', database, {}, wait)).status, 422)
    })
  }

  test('keeps the status when another container runs on the same data', async () => {
    await using context = await openRunning()
    const { testBerth, databaseClients, database } = context
    testBerth.engine.replaceTask(database.appName)
    const [task] = await databaseClients.tasks(database)
    await testBerth.until('a login', async () => {
      assert.deepEqual(await databaseClients.one(database), database)
      const { provenTask } = await testBerth.app.db
        .selectFrom('database')
        .select('provenTask')
        .executeTakeFirstOrThrow()
      return provenTask === task || null
    })
    assert.deepEqual(
      [await databaseClients.one(database), (await testBerth.everything()).deployment!.length],
      [database, 1],
    )
  })

  test('completes an interrupted stop of the container after a restart of Berth', async () => {
    await using context = await openRunning()
    const { testBerth, databaseClients, database } = context
    replaceData(context)
    const { updateService } = testBerth.engine
    testBerth.engine.updateService = async () => {
      throw new Error('killed here')
    }
    testBerth.engine.replaceTask(database.appName)
    await waitForRecord(testBerth, databaseClients, database, ({ applicationStatus }) => applicationStatus === 'error')
    await testBerth.restart(async () => {
      testBerth.engine.updateService = updateService
    })
    await waitForRecord(testBerth, databaseClients, database, ({ containerState }) => containerState === null)
    await checkHalted(context, dataReplaced, 'DataReplaced')
  })
}

function acceptTests(): void {
  for (const verb of ['start', 'deploy'] as const) {
    test(`${verb} with acceptNewData starts on an empty volume and stores its identity`, async () => {
      await using context = await openRunning()
      const { testBerth, databaseClients, database } = context
      const before = await identityOf(testBerth)
      await databaseClients.complete('stop', database)
      testBerth.engine.loseVolume(database.volume!)
      await databaseClients.call('start', database, {}, wait)
      const again = await databaseClients.complete(verb, database, { acceptNewData: true })
      assert.deepEqual([again.applicationStatus, again.volumeFault], ['done', null])
      const after = await identityOf(testBerth)
      assert.notEqual(after.identity, before.identity)
      assert.deepEqual([after.serverVersion, after.fault], [before.serverVersion, null])
      assert.deepEqual(
        [[...testBerth.engine.marks.values()], [...testBerth.engine.volumes]],
        [[after.identity], [database.volume]],
      )
    })
  }

  test('start with acceptNewData adopts the data of another database and detects later replacements', async () => {
    await using context = await openRunning()
    const { testBerth, databaseClients, database } = context
    await databaseClients.complete('stop', database)
    replaceData(context)
    await databaseClients.call('start', database, {}, wait)
    assert.equal((await databaseClients.complete('start', database, { acceptNewData: true })).applicationStatus, 'done')
    assert.equal((await identityOf(testBerth)).identity, 'of-another')
    replaceData(context, 'of-a-third')
    await databaseClients.call('reload', database, { appName: database.appName }, wait)
    await checkHalted(context, dataReplaced, 'DataReplaced')
  })

  test('ignores acceptNewData: false and refuses a value that is not a boolean', async () => {
    await using context = await openRunning()
    const { testBerth, databaseClients, database } = context
    await databaseClients.complete('stop', database)
    testBerth.engine.loseVolume(database.volume!)
    assert.equal((await databaseClients.call('start', database, { acceptNewData: false }, wait)).status, 422)
    await checkHalted(context, volumeMissing, 'VolumeMissing')
    await databaseClients.refused('BAD_REQUEST', 'start', database, { acceptNewData: 'yes' }, 'acceptNewData')
  })

  test('refuses acceptNewData to a token of scope deploy, which can start the database', async () => {
    await using context = await openRunning()
    const { testBerth, databaseClients, database } = context
    const { token } = await testBerth.ok<{ token: string }>('auth.createToken', { name: 'ci', scope: 'deploy' })
    await databaseClients.complete('stop', database)
    const input = { [kind.idField]: databaseClients.idOf(database) }
    const before = await identityOf(testBerth)
    for (const verb of ['start', 'deploy']) {
      const { status } = await testBerth.call(`${kind.name}.${verb}`, { ...input, acceptNewData: true }, wait, token)
      assert.equal(status, 403)
    }
    assert.deepEqual(
      [await identityOf(testBerth), (await databaseClients.one(database)).applicationStatus],
      [before, 'idle'],
    )
    assert.equal((await testBerth.call(`${kind.name}.start`, input, wait, token)).status, 200)
  })
}

function copyTests(): void {
  test('makes no dump of a container until the identity of its data is checked', async () => {
    await using context = await openRunning()
    const { testBerth, databaseClients, database } = context
    const { backupId } = await testBerth.ok<{ backupId: string }>('backup.create', {
      schedule: '0 3 * * *',
      prefix: 'nightly',
      destinationId: await createDestination(testBerth),
      database: 'shop',
      databaseType: kind.name,
      [kind.idField]: databaseClients.idOf(database),
    })
    testBerth.engine.dataMark = async () => {
      throw new EngineFailure('failed', 'not now')
    }
    testBerth.engine.replaceTask(database.appName)
    const { runId } = await testBerth.ok<{ runId: string }>(`backup.${kind.manualBackup}`, { backupId })
    const run = await until('the failed run', async () => {
      const runs = await testBerth.ok<Record<string, unknown>[]>('backup.runs', { backupId })
      return runs.find((candidate) => candidate.runId === runId && candidate.status === 'error')
    })
    assert.match(String(run.reason), /Berth has not verified its data yet\. Try again$/)
  })

  for (const fault of ['VolumeMissing', 'DataReplaced'] as const) {
    test(`a move fails and copies nothing if the volume has the fault ${fault}`, async () => {
      await using testBerth = await startTestBerth()
      testBerth.engine.addNode('node2', { hostname: 'second', address: '192.0.2.22' })
      await waitForNode(testBerth, 'node2')
      const databaseClients = databaseClientsOf(testBerth, kindNamed('mysql'))
      const database = await databaseClients.createDeployed({ node: 'node1' })
      const volumes = fakeVolumes(testBerth, database.appName)
      const { updateService } = testBerth.engine
      testBerth.engine.updateService = async (spec) => {
        await updateService(spec)
        if (spec.name !== database.appName || spec.replicas === 1) return
        if (fault === 'VolumeMissing') testBerth.engine.loseVolume(database.volume!)
        else replaceData({ testBerth, database })
      }
      const { status } = await databaseClients.call('move', database, { node: 'second' }, wait)
      assert.equal(status, 422)
      assert.ok(!volumes.jobs.some(([jobKind]) => jobKind === 'dump' || jobKind === 'load'))
      const record = await databaseClients.one(database)
      assert.deepEqual([record.applicationStatus, record.volumeFault, record.volume], ['error', fault, database.volume])
      assert.match(record.statusReason!, /^The database could not be moved to second: Volume /)
      assert.equal(testBerth.engine.specOf(database.appName)!.replicas, 0)
    })
  }
}
