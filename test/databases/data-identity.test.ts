/** A database never starts on other data than it had: its volume is gone or replaced, or is as it was. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EngineFailure } from '../../src/engine/engine.ts'
import { checkHalted, identityOf, kind, missing, replace, replaced, running } from './data.ts'
import { type Database, fleetOf, seen } from '../fixtures/fleet.ts'
import { startSite, wait } from '../fixtures/site.ts'

// Berth looks once a second at most: the tests of this file wait side by side.
describe('the data that a database starts on', { concurrency: true }, () => {
  storeTests()
  missingTests()
  replacedTests()
})

function storeTests(): void {
  test('its identity is stored at the first login, stays, and goes with the volume to another service', async () => {
    await using it = await running()
    const { site, fleet, up } = it
    const { identity } = await identityOf(site)
    assert.deepEqual([...site.engine.marks.values()], [identity])
    assert.equal(up.volumeFault, null)
    await fleet.settle('reload', up, { appName: up.appName })
    await fleet.settle('stop', up)
    await fleet.gone(up)
    const [kept] = await site.ok<{ volumeId: string }[]>('volume.all')
    const input = { volumeId: kept!.volumeId, name: 'again', appName: 'again', projectId: site.projectId }
    await fleet.settle('deploy', await site.ok<Database>('volume.restore', input))
    assert.equal((await identityOf(site)).identity, identity)
  })

  test('of a database from before identities were stored the next look stores one, and its status stays', async () => {
    await using it = await running()
    const { site, fleet, up } = it
    replace(it, null)
    await site.app.transact(async (tx) => {
      await tx.updateTable('volume').set({ identity: null }).execute()
      await tx.updateTable('database').set({ provenTask: null }).execute()
    })
    await site.until('an identity', async () => (await identityOf(site)).identity)
    assert.deepEqual([...site.engine.marks.values()], [(await identityOf(site)).identity])
    assert.deepEqual(await fleet.one(up), up)
  })

  test('a mark that a killed Berth wrote and did not store is taken', async () => {
    await using it = await running()
    const { site, fleet, up } = it
    await site.app.transact(async (tx) => void (await tx.updateTable('volume').set({ identity: null }).execute()))
    replace(it, 'written-before')
    await fleet.settle('reload', up, { appName: up.appName })
    assert.equal((await identityOf(site)).identity, 'written-before')
  })
}

function missingTests(): void {
  for (const verb of ['start', 'deploy'] as const) {
    test(`${verb} of a stopped one whose volume is gone is an error, and makes no volume`, async () => {
      await using it = await running()
      const { site, fleet, up } = it
      await fleet.settle('stop', up)
      site.engine.loseVolume(up.volume!)
      const { status, body } = await fleet.ask(verb, up, {}, wait)
      assert.equal(status, 422)
      assert.match(body.message, missing)
      await checkHalted(it, missing, 'VolumeMissing')
      assert.deepEqual([...site.engine.volumes], [])
      const work = (await site.everything()).deployment!.at(-1)!
      assert.deepEqual([work.action, work.state, work.phase], [verb, 'error', 'halt'])
    })
  }

  test('a reload, and a deploy of other settings, never begin with an empty volume', async () => {
    await using it = await running()
    const { site, fleet, up } = it
    site.engine.loseVolume(up.volume!)
    await fleet.ask('reload', up, { appName: up.appName }, wait)
    await checkHalted(it, missing, 'VolumeMissing')
    await fleet.act('update', up, { memoryLimit: 512 })
    assert.equal((await fleet.ask('deploy', up, {}, wait)).status, 422)
    await checkHalted(it, missing, 'VolumeMissing')
    assert.deepEqual([...site.engine.volumes], [])
  })

  test('a repair of a service that went with its volume makes none', async () => {
    await using it = await running()
    const { site, fleet, up } = it
    await site.engine.removeService(up.appName)
    site.engine.loseVolume(up.volume!)
    await seen(site, fleet, up, ({ applicationStatus }) => applicationStatus === 'error')
    await checkHalted(it, missing, 'VolumeMissing')
    assert.deepEqual([...site.engine.volumes], [])
  })

  test('a volume that nobody has logged in to is no loss', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const made = await fleet.create()
    site.engine.behave(made.appName, 'crash:1')
    assert.equal((await fleet.ask('deploy', made, {}, wait)).status, 422)
    site.engine.loseVolume((await fleet.one(made)).volume!)
    site.engine.behave(made.appName, 'running')
    assert.equal((await fleet.settle('deploy', made)).applicationStatus, 'done')
  })
}

function replacedTests(): void {
  for (const mark of [null, 'of-another']) {
    test(`a start on ${mark === null ? 'an emptied volume' : "another's data"} is halted without a login`, async () => {
      await using it = await running()
      const { site, fleet, up } = it
      await fleet.settle('stop', up)
      replace(it, mark)
      const { run } = site.changes()
      const { status, body } = await fleet.ask('start', up, {}, wait)
      assert.equal(status, 422)
      assert.match(body.message, replaced)
      await checkHalted(it, replaced, 'DataReplaced')
      assert.equal(site.changes().run, run)
      assert.deepEqual([...site.engine.volumes], [up.volume])
    })
  }

  test('a deploy of new passwords changes none in data that is not its own', async () => {
    await using it = await running()
    const { site, fleet, up } = it
    await fleet.settle('stop', up)
    replace(it)
    await fleet.act('update', up, { [kind.secrets[0]!]: 'another password' })
    const { run } = site.changes()
    await fleet.ask('deploy', up, {}, wait)
    await checkHalted(it, replaced, 'DataReplaced')
    assert.equal(site.changes().run, run)
  })

  test('with its own data back it starts, and the fault is gone', async () => {
    await using it = await running()
    const { site, fleet, up } = it
    const { identity } = await identityOf(site)
    await fleet.settle('stop', up)
    replace(it)
    await fleet.ask('start', up, {}, wait)
    await checkHalted(it, replaced, 'DataReplaced')
    replace(it, identity)
    const again = await fleet.settle('start', up)
    assert.deepEqual([again.applicationStatus, again.volumeFault, again.statusReason], ['done', null, null])
  })

  test('data that cannot be told for the moment is waited for', async () => {
    await using it = await running()
    const { site, fleet, up } = it
    await fleet.settle('stop', up)
    const { dataMark } = site.engine
    let refusals = 0
    site.engine.dataMark = async (...args) => {
      if (++refusals <= 2) throw new EngineFailure('failed', 'not now')
      return dataMark(...args)
    }
    assert.equal((await fleet.settle('start', up)).applicationStatus, 'done')
    assert.ok(refusals > 2)
  })
}
