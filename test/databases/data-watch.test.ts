/** Other data than a database had: where the swarm started it, where it is accepted, and where it would be copied. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EngineFailure } from '../../src/engine/engine.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { makeDestination } from '../backups/backups.ts'
import { seenNode } from '../nodes/cluster.ts'
import { checkHalted, identityOf, kind, missing, replace, replaced, running } from './data.ts'
import { fleetOf, seen } from '../fixtures/fleet.ts'
import { disksBehind } from './movers.ts'
import { startSite, wait } from '../fixtures/site.ts'

// Berth looks once a second at most: the tests of this file wait side by side.
describe('other data', { concurrency: true }, () => {
  watchTests()
  acceptTests()
  copyTests()
})

function watchTests(): void {
  for (const state of ['running', 'starting'] as const) {
    test(`a container that the swarm has ${state} on an empty volume is ended, and that is an error`, async () => {
      await using it = await running()
      const { site, fleet, up } = it
      if (state === 'starting') site.engine.behave(up.appName, 'starting')
      replace(it, null)
      const { run } = site.changes()
      site.engine.replaceTask(up.appName)
      await site.until('its end', async () => site.engine.specOf(up.appName)!.replicas === 0 || null)
      const halted = await seen(site, fleet, up, ({ containerState }) => containerState === null)
      assert.match(halted.statusReason!, replaced)
      await checkHalted(it, replaced, 'DataReplaced')
      const [, halt] = (await site.everything()).deployment!
      assert.deepEqual([halt!.action, halt!.state, halt!.phase], ['halt', 'error', 'halt'])
      assert.equal(site.changes().run, run)
      site.engine.behave(up.appName, 'running')
      assert.equal((await fleet.ask('start', up, {}, wait)).status, 422)
    })
  }

  test('another container on its own data changes nothing of the status', async () => {
    await using it = await running()
    const { site, fleet, up } = it
    site.engine.replaceTask(up.appName)
    const [task] = await fleet.tasks(up)
    await site.until('a login', async () => {
      assert.deepEqual(await fleet.one(up), up)
      const { provenTask } = await site.app.db.selectFrom('database').select('provenTask').executeTakeFirstOrThrow()
      return provenTask === task || null
    })
    assert.deepEqual([await fleet.one(up), (await site.everything()).deployment!.length], [up, 1])
  })

  test('a halt that is interrupted is ended by the next Berth', async () => {
    await using it = await running()
    const { site, fleet, up } = it
    replace(it)
    const { updateService } = site.engine
    site.engine.updateService = async () => {
      throw new Error('killed here')
    }
    site.engine.replaceTask(up.appName)
    await seen(site, fleet, up, ({ applicationStatus }) => applicationStatus === 'error')
    await site.restart(async () => {
      site.engine.updateService = updateService
    })
    await seen(site, fleet, up, ({ containerState }) => containerState === null)
    await checkHalted(it, replaced, 'DataReplaced')
  })
}

function acceptTests(): void {
  for (const verb of ['start', 'deploy'] as const) {
    test(`${verb} with acceptNewData begins with an empty volume, whose identity is stored`, async () => {
      await using it = await running()
      const { site, fleet, up } = it
      const before = await identityOf(site)
      await fleet.settle('stop', up)
      site.engine.loseVolume(up.volume!)
      await fleet.ask('start', up, {}, wait)
      const again = await fleet.settle(verb, up, { acceptNewData: true })
      assert.deepEqual([again.applicationStatus, again.volumeFault], ['done', null])
      const after = await identityOf(site)
      assert.notEqual(after.identity, before.identity)
      assert.deepEqual([after.serverVersion, after.fault], [before.serverVersion, null])
      assert.deepEqual([[...site.engine.marks.values()], [...site.engine.volumes]], [[after.identity], [up.volume]])
    })
  }

  test('with acceptNewData the data that is there now counts, and is compared from then on', async () => {
    await using it = await running()
    const { site, fleet, up } = it
    await fleet.settle('stop', up)
    replace(it)
    await fleet.ask('start', up, {}, wait)
    assert.equal((await fleet.settle('start', up, { acceptNewData: true })).applicationStatus, 'done')
    assert.equal((await identityOf(site)).identity, 'of-another')
    replace(it, 'of-a-third')
    await fleet.ask('reload', up, { appName: up.appName }, wait)
    await checkHalted(it, replaced, 'DataReplaced')
  })

  test('acceptNewData: false is as nothing, and what is no flag is refused', async () => {
    await using it = await running()
    const { site, fleet, up } = it
    await fleet.settle('stop', up)
    site.engine.loseVolume(up.volume!)
    assert.equal((await fleet.ask('start', up, { acceptNewData: false }, wait)).status, 422)
    await checkHalted(it, missing, 'VolumeMissing')
    await fleet.refused('BAD_REQUEST', 'start', up, { acceptNewData: 'yes' }, 'acceptNewData')
  })

  test('an API token of scope deploy may start it, and not with new data', async () => {
    await using it = await running()
    const { site, fleet, up } = it
    const { token } = await site.ok<{ token: string }>('auth.createToken', { name: 'ci', scope: 'deploy' })
    await fleet.settle('stop', up)
    const input = { [kind.idField]: fleet.idOf(up) }
    const before = await identityOf(site)
    for (const verb of ['start', 'deploy']) {
      const { status } = await site.call(`${kind.name}.${verb}`, { ...input, acceptNewData: true }, wait, token)
      assert.equal(status, 403)
    }
    assert.deepEqual([await identityOf(site), (await fleet.one(up)).applicationStatus], [before, 'idle'])
    assert.equal((await site.call(`${kind.name}.start`, input, wait, token)).status, 200)
  })
}

function copyTests(): void {
  test('no dump is made of a container whose data is not compared yet', async () => {
    await using it = await running()
    const { site, fleet, up } = it
    const { backupId } = await site.ok<{ backupId: string }>('backup.create', {
      schedule: '0 3 * * *',
      prefix: 'nightly',
      destinationId: await makeDestination(site),
      database: 'shop',
      databaseType: kind.name,
      [kind.idField]: fleet.idOf(up),
    })
    site.engine.dataMark = async () => {
      throw new EngineFailure('failed', 'not now')
    }
    site.engine.replaceTask(up.appName)
    const { runId } = await site.ok<{ runId: string }>(`backup.${kind.manualBackup}`, { backupId })
    const run = await until('its end', async () => {
      const runs = await site.ok<Record<string, unknown>[]>('backup.runs', { backupId })
      return runs.find((one) => one.runId === runId && one.status === 'error')
    })
    assert.match(String(run.reason), /its data is not compared yet\. Try again$/)
  })

  for (const fault of ['VolumeMissing', 'DataReplaced'] as const) {
    test(`a move copies nothing else than the data of the database: ${fault}`, async () => {
      await using site = await startSite()
      site.engine.addNode('node2', { hostname: 'second', address: '192.0.2.22' })
      await seenNode(site, 'node2')
      const fleet = fleetOf(site, kindNamed('mysql'))
      const up = await fleet.up({ node: 'node1' })
      const disks = disksBehind(site, up.appName)
      const { updateService } = site.engine
      site.engine.updateService = async (spec) => {
        await updateService(spec)
        if (spec.name !== up.appName || spec.replicas === 1) return
        if (fault === 'VolumeMissing') site.engine.loseVolume(up.volume!)
        else replace({ site, up })
      }
      const { status } = await fleet.ask('move', up, { node: 'second' }, wait)
      assert.equal(status, 422)
      assert.ok(!disks.done.some(([part]) => part === 'dump' || part === 'load'))
      const one = await fleet.one(up)
      assert.deepEqual([one.applicationStatus, one.volumeFault, one.volume], ['error', fault, up.volume])
      assert.match(one.statusReason!, /^The database could not be moved to second: Volume /)
      assert.equal(site.engine.specOf(up.appName)!.replicas, 0)
    })
  }
}
