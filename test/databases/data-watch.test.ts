/** Foreign data on a database's volume: detected while watching, accepted on request, and never dumped or copied. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EngineFailure } from '../../src/engine/engine.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { createDestination } from '../backups/backups.ts'
import { waitForNode } from '../nodes/cluster.ts'
import { checkHalted, identityOf, kind, missing, replace, replaced, running } from './data.ts'
import { databaseClientsOf, seen } from '../fixtures/database-clients.ts'
import { disksBehind } from './movers.ts'
import { startTestBerth, wait } from '../fixtures/test-berth.ts'

// The watch loop runs at most once a second: the tests of this file run concurrently.
describe('foreign data', { concurrency: true }, () => {
  watchTests()
  acceptTests()
  copyTests()
})

function watchTests(): void {
  for (const state of ['running', 'starting'] as const) {
    test(`stops a container that Swarm has ${state} on an empty volume, and reports an error`, async () => {
      await using it = await running()
      const { testBerth, databaseClients, up } = it
      if (state === 'starting') testBerth.engine.behave(up.appName, 'starting')
      replace(it, null)
      const { run } = testBerth.changes()
      testBerth.engine.replaceTask(up.appName)
      await testBerth.until('its end', async () => testBerth.engine.specOf(up.appName)!.replicas === 0 || null)
      const halted = await seen(testBerth, databaseClients, up, ({ containerState }) => containerState === null)
      assert.match(halted.statusReason!, replaced)
      await checkHalted(it, replaced, 'DataReplaced')
      const [, halt] = (await testBerth.everything()).deployment!
      assert.deepEqual([halt!.action, halt!.state, halt!.phase], ['halt', 'error', 'halt'])
      assert.equal(testBerth.changes().run, run)
      testBerth.engine.behave(up.appName, 'running')
      assert.equal((await databaseClients.ask('start', up, {}, wait)).status, 422)
    })
  }

  test('keeps the status when another container runs on the same data', async () => {
    await using it = await running()
    const { testBerth, databaseClients, up } = it
    testBerth.engine.replaceTask(up.appName)
    const [task] = await databaseClients.tasks(up)
    await testBerth.until('a login', async () => {
      assert.deepEqual(await databaseClients.one(up), up)
      const { provenTask } = await testBerth.app.db
        .selectFrom('database')
        .select('provenTask')
        .executeTakeFirstOrThrow()
      return provenTask === task || null
    })
    assert.deepEqual([await databaseClients.one(up), (await testBerth.everything()).deployment!.length], [up, 1])
  })

  test('completes an interrupted halt after a restart of Berth', async () => {
    await using it = await running()
    const { testBerth, databaseClients, up } = it
    replace(it)
    const { updateService } = testBerth.engine
    testBerth.engine.updateService = async () => {
      throw new Error('killed here')
    }
    testBerth.engine.replaceTask(up.appName)
    await seen(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus === 'error')
    await testBerth.restart(async () => {
      testBerth.engine.updateService = updateService
    })
    await seen(testBerth, databaseClients, up, ({ containerState }) => containerState === null)
    await checkHalted(it, replaced, 'DataReplaced')
  })
}

function acceptTests(): void {
  for (const verb of ['start', 'deploy'] as const) {
    test(`${verb} with acceptNewData starts on an empty volume and stores its identity`, async () => {
      await using it = await running()
      const { testBerth, databaseClients, up } = it
      const before = await identityOf(testBerth)
      await databaseClients.settle('stop', up)
      testBerth.engine.loseVolume(up.volume!)
      await databaseClients.ask('start', up, {}, wait)
      const again = await databaseClients.settle(verb, up, { acceptNewData: true })
      assert.deepEqual([again.applicationStatus, again.volumeFault], ['done', null])
      const after = await identityOf(testBerth)
      assert.notEqual(after.identity, before.identity)
      assert.deepEqual([after.serverVersion, after.fault], [before.serverVersion, null])
      assert.deepEqual(
        [[...testBerth.engine.marks.values()], [...testBerth.engine.volumes]],
        [[after.identity], [up.volume]],
      )
    })
  }

  test('with acceptNewData adopts the present data and compares it from then on', async () => {
    await using it = await running()
    const { testBerth, databaseClients, up } = it
    await databaseClients.settle('stop', up)
    replace(it)
    await databaseClients.ask('start', up, {}, wait)
    assert.equal((await databaseClients.settle('start', up, { acceptNewData: true })).applicationStatus, 'done')
    assert.equal((await identityOf(testBerth)).identity, 'of-another')
    replace(it, 'of-a-third')
    await databaseClients.ask('reload', up, { appName: up.appName }, wait)
    await checkHalted(it, replaced, 'DataReplaced')
  })

  test('ignores acceptNewData: false and refuses a value that is not a boolean', async () => {
    await using it = await running()
    const { testBerth, databaseClients, up } = it
    await databaseClients.settle('stop', up)
    testBerth.engine.loseVolume(up.volume!)
    assert.equal((await databaseClients.ask('start', up, { acceptNewData: false }, wait)).status, 422)
    await checkHalted(it, missing, 'VolumeMissing')
    await databaseClients.refused('BAD_REQUEST', 'start', up, { acceptNewData: 'yes' }, 'acceptNewData')
  })

  test('lets a token of scope deploy start the database, but not with new data', async () => {
    await using it = await running()
    const { testBerth, databaseClients, up } = it
    const { token } = await testBerth.ok<{ token: string }>('auth.createToken', { name: 'ci', scope: 'deploy' })
    await databaseClients.settle('stop', up)
    const input = { [kind.idField]: databaseClients.idOf(up) }
    const before = await identityOf(testBerth)
    for (const verb of ['start', 'deploy']) {
      const { status } = await testBerth.call(`${kind.name}.${verb}`, { ...input, acceptNewData: true }, wait, token)
      assert.equal(status, 403)
    }
    assert.deepEqual([await identityOf(testBerth), (await databaseClients.one(up)).applicationStatus], [before, 'idle'])
    assert.equal((await testBerth.call(`${kind.name}.start`, input, wait, token)).status, 200)
  })
}

function copyTests(): void {
  test('makes no dump of a container whose data is not compared yet', async () => {
    await using it = await running()
    const { testBerth, databaseClients, up } = it
    const { backupId } = await testBerth.ok<{ backupId: string }>('backup.create', {
      schedule: '0 3 * * *',
      prefix: 'nightly',
      destinationId: await createDestination(testBerth),
      database: 'shop',
      databaseType: kind.name,
      [kind.idField]: databaseClients.idOf(up),
    })
    testBerth.engine.dataMark = async () => {
      throw new EngineFailure('failed', 'not now')
    }
    testBerth.engine.replaceTask(up.appName)
    const { runId } = await testBerth.ok<{ runId: string }>(`backup.${kind.manualBackup}`, { backupId })
    const run = await until('its end', async () => {
      const runs = await testBerth.ok<Record<string, unknown>[]>('backup.runs', { backupId })
      return runs.find((one) => one.runId === runId && one.status === 'error')
    })
    assert.match(String(run.reason), /Berth has not verified its data yet\. Try again$/)
  })

  for (const fault of ['VolumeMissing', 'DataReplaced'] as const) {
    test(`a move copies only the data of the database: ${fault}`, async () => {
      await using testBerth = await startTestBerth()
      testBerth.engine.addNode('node2', { hostname: 'second', address: '192.0.2.22' })
      await waitForNode(testBerth, 'node2')
      const databaseClients = databaseClientsOf(testBerth, kindNamed('mysql'))
      const up = await databaseClients.up({ node: 'node1' })
      const disks = disksBehind(testBerth, up.appName)
      const { updateService } = testBerth.engine
      testBerth.engine.updateService = async (spec) => {
        await updateService(spec)
        if (spec.name !== up.appName || spec.replicas === 1) return
        if (fault === 'VolumeMissing') testBerth.engine.loseVolume(up.volume!)
        else replace({ testBerth, up })
      }
      const { status } = await databaseClients.ask('move', up, { node: 'second' }, wait)
      assert.equal(status, 422)
      assert.ok(!disks.done.some(([part]) => part === 'dump' || part === 'load'))
      const one = await databaseClients.one(up)
      assert.deepEqual([one.applicationStatus, one.volumeFault, one.volume], ['error', fault, up.volume])
      assert.match(one.statusReason!, /^The database could not be moved to second: Volume /)
      assert.equal(testBerth.engine.specOf(up.appName)!.replicas, 0)
    })
  }
}
