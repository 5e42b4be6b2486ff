/** A database never starts on other data than it had, whether its volume is missing or replaced. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EngineFailure } from '../../src/engine/engine.ts'
import { checkHalted, identityOf, kind, missing, replace, replaced, running } from './data.ts'
import { type Database, databaseClientsOf, seen } from '../fixtures/database-clients.ts'
import { startTestBerth, wait } from '../fixtures/test-berth.ts'

// The watch loop runs at most once a second: the tests of this file run concurrently.
describe('data identity', { concurrency: true }, () => {
  storeTests()
  missingTests()
  replacedTests()
})

function storeTests(): void {
  test('stores the identity at the first login and keeps it with the volume in another service', async () => {
    await using it = await running()
    const { testBerth, databaseClients, up } = it
    const { identity } = await identityOf(testBerth)
    assert.deepEqual([...testBerth.engine.marks.values()], [identity])
    assert.equal(up.volumeFault, null)
    await databaseClients.settle('reload', up, { appName: up.appName })
    await databaseClients.settle('stop', up)
    await databaseClients.gone(up)
    const [kept] = await testBerth.ok<{ volumeId: string }[]>('volume.all')
    const input = { volumeId: kept!.volumeId, name: 'again', appName: 'again', projectId: testBerth.projectId }
    await databaseClients.settle('deploy', await testBerth.ok<Database>('volume.restore', input))
    assert.equal((await identityOf(testBerth)).identity, identity)
  })

  test('stores an identity for an older database without changing its status', async () => {
    await using it = await running()
    const { testBerth, databaseClients, up } = it
    replace(it, null)
    await testBerth.app.transact(async (tx) => {
      await tx.updateTable('volume').set({ identity: null }).execute()
      await tx.updateTable('database').set({ provenTask: null }).execute()
    })
    await testBerth.until('an identity', async () => (await identityOf(testBerth)).identity)
    assert.deepEqual([...testBerth.engine.marks.values()], [(await identityOf(testBerth)).identity])
    assert.deepEqual(await databaseClients.one(up), up)
  })

  test('adopts a mark that was written but not stored before a crash', async () => {
    await using it = await running()
    const { testBerth, databaseClients, up } = it
    await testBerth.app.transact(async (tx) => void (await tx.updateTable('volume').set({ identity: null }).execute()))
    replace(it, 'written-before')
    await databaseClients.settle('reload', up, { appName: up.appName })
    assert.equal((await identityOf(testBerth)).identity, 'written-before')
  })
}

function missingTests(): void {
  for (const verb of ['start', 'deploy'] as const) {
    test(`${verb} of a stopped database without its volume ends in error and creates no volume`, async () => {
      await using it = await running()
      const { testBerth, databaseClients, up } = it
      await databaseClients.settle('stop', up)
      testBerth.engine.loseVolume(up.volume!)
      const { status, body } = await databaseClients.ask(verb, up, {}, wait)
      assert.equal(status, 422)
      assert.match(body.message, missing)
      await checkHalted(it, missing, 'VolumeMissing')
      assert.deepEqual([...testBerth.engine.volumes], [])
      const work = (await testBerth.everything()).deployment!.at(-1)!
      assert.deepEqual([work.action, work.state, work.phase], [verb, 'error', 'halt'])
    })
  }

  test('reload and deploy never start on an empty volume', async () => {
    await using it = await running()
    const { testBerth, databaseClients, up } = it
    testBerth.engine.loseVolume(up.volume!)
    await databaseClients.ask('reload', up, { appName: up.appName }, wait)
    await checkHalted(it, missing, 'VolumeMissing')
    await databaseClients.act('update', up, { memoryLimit: 512 })
    assert.equal((await databaseClients.ask('deploy', up, {}, wait)).status, 422)
    await checkHalted(it, missing, 'VolumeMissing')
    assert.deepEqual([...testBerth.engine.volumes], [])
  })

  test('a repair creates no volume if service and volume were both removed', async () => {
    await using it = await running()
    const { testBerth, databaseClients, up } = it
    await testBerth.engine.removeService(up.appName)
    testBerth.engine.loseVolume(up.volume!)
    await seen(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus === 'error')
    await checkHalted(it, missing, 'VolumeMissing')
    assert.deepEqual([...testBerth.engine.volumes], [])
  })

  test('accepts the loss of a volume without a login', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const made = await databaseClients.create()
    testBerth.engine.behave(made.appName, 'crash:1')
    assert.equal((await databaseClients.ask('deploy', made, {}, wait)).status, 422)
    testBerth.engine.loseVolume((await databaseClients.one(made)).volume!)
    testBerth.engine.behave(made.appName, 'running')
    assert.equal((await databaseClients.settle('deploy', made)).applicationStatus, 'done')
  })
}

function replacedTests(): void {
  for (const mark of [null, 'of-another']) {
    test(`a start on ${mark === null ? 'an emptied volume' : "another's data"} halts without a login`, async () => {
      await using it = await running()
      const { testBerth, databaseClients, up } = it
      await databaseClients.settle('stop', up)
      replace(it, mark)
      const { run } = testBerth.changes()
      const { status, body } = await databaseClients.ask('start', up, {}, wait)
      assert.equal(status, 422)
      assert.match(body.message, replaced)
      await checkHalted(it, replaced, 'DataReplaced')
      assert.equal(testBerth.changes().run, run)
      assert.deepEqual([...testBerth.engine.volumes], [up.volume])
    })
  }

  test('does not change passwords in the data of another database', async () => {
    await using it = await running()
    const { testBerth, databaseClients, up } = it
    await databaseClients.settle('stop', up)
    replace(it)
    await databaseClients.act('update', up, { [kind.secrets[0]!]: 'another password' })
    const { run } = testBerth.changes()
    await databaseClients.ask('deploy', up, {}, wait)
    await checkHalted(it, replaced, 'DataReplaced')
    assert.equal(testBerth.changes().run, run)
  })

  test('starts and clears the fault once its own data is back', async () => {
    await using it = await running()
    const { testBerth, databaseClients, up } = it
    const { identity } = await identityOf(testBerth)
    await databaseClients.settle('stop', up)
    replace(it)
    await databaseClients.ask('start', up, {}, wait)
    await checkHalted(it, replaced, 'DataReplaced')
    replace(it, identity)
    const again = await databaseClients.settle('start', up)
    assert.deepEqual([again.applicationStatus, again.volumeFault, again.statusReason], ['done', null, null])
  })

  test('waits while the data cannot be read', async () => {
    await using it = await running()
    const { testBerth, databaseClients, up } = it
    await databaseClients.settle('stop', up)
    const { dataMark } = testBerth.engine
    let refusals = 0
    testBerth.engine.dataMark = async (...args) => {
      if (++refusals <= 2) throw new EngineFailure('failed', 'not now')
      return dataMark(...args)
    }
    assert.equal((await databaseClients.settle('start', up)).applicationStatus, 'done')
    assert.ok(refusals > 2)
  })
}
