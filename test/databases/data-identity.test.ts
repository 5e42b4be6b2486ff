/** A database never starts if its volume is missing or contains the data of another database. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EngineFailure } from '../../src/engine/engine.ts'
import {
  checkHalted,
  identityOf,
  kind,
  volumeMissing,
  replaceData,
  dataReplaced,
  openRunning,
} from './data-identity.ts'
import { type Database, databaseClientsOf, waitForRecord } from '../fixtures/database-clients.ts'
import { startTestBerth, wait } from '../fixtures/test-berth.ts'

// The watch loop runs at most once a second: the tests of this file run concurrently.
describe('data identity', { concurrency: true }, () => {
  storeTests()
  missingTests()
  replacedTests()
})

function storeTests(): void {
  test('stores an identity at the first login and keeps it in a service on the kept volume', async () => {
    await using context = await openRunning()
    const { testBerth, databaseClients, database } = context
    const { identity } = await identityOf(testBerth)
    assert.deepEqual([...testBerth.engine.marks.values()], [identity])
    assert.equal(database.volumeFault, null)
    await databaseClients.complete('reload', database, { appName: database.appName })
    await databaseClients.complete('stop', database)
    await databaseClients.remove(database)
    const [kept] = await testBerth.ok<{ volumeId: string }[]>('volume.all')
    const input = { volumeId: kept!.volumeId, name: 'again', appName: 'again', projectId: testBerth.projectId }
    await databaseClients.complete('deploy', await testBerth.ok<Database>('volume.restore', input))
    assert.equal((await identityOf(testBerth)).identity, identity)
  })

  test('stores an identity for a database of an older version without changing its status', async () => {
    await using context = await openRunning()
    const { testBerth, databaseClients, database } = context
    replaceData(context, null)
    await testBerth.app.transact(async (tx) => {
      await tx.updateTable('volume').set({ identity: null }).execute()
      await tx.updateTable('database').set({ provenTask: null }).execute()
    })
    await testBerth.until('an identity', async () => (await identityOf(testBerth)).identity)
    assert.deepEqual([...testBerth.engine.marks.values()], [(await identityOf(testBerth)).identity])
    assert.deepEqual(await databaseClients.one(database), database)
  })

  test('adopts an identity that a crash left in the data but not in the store', async () => {
    await using context = await openRunning()
    const { testBerth, databaseClients, database } = context
    await testBerth.app.transact(async (tx) => void (await tx.updateTable('volume').set({ identity: null }).execute()))
    replaceData(context, 'written-before')
    await databaseClients.complete('reload', database, { appName: database.appName })
    assert.equal((await identityOf(testBerth)).identity, 'written-before')
  })
}

function missingTests(): void {
  for (const verb of ['start', 'deploy'] as const) {
    test(`${verb} of a stopped database whose volume is missing ends in error and creates no volume`, async () => {
      await using context = await openRunning()
      const { testBerth, databaseClients, database } = context
      await databaseClients.complete('stop', database)
      testBerth.engine.loseVolume(database.volume!)
      const { status, body } = await databaseClients.call(verb, database, {}, wait)
      assert.equal(status, 422)
      assert.match(body.message, volumeMissing)
      await checkHalted(context, volumeMissing, 'VolumeMissing')
      assert.deepEqual([...testBerth.engine.volumes], [])
      const work = (await testBerth.everything()).deployment!.at(-1)!
      assert.deepEqual([work.action, work.state, work.phase], [verb, 'error', 'halt'])
    })
  }

  test('reload and deploy do not create a volume in place of a missing one', async () => {
    await using context = await openRunning()
    const { testBerth, databaseClients, database } = context
    testBerth.engine.loseVolume(database.volume!)
    await databaseClients.call('reload', database, { appName: database.appName }, wait)
    await checkHalted(context, volumeMissing, 'VolumeMissing')
    await databaseClients.ok('update', database, { memoryLimit: 512 })
    assert.equal((await databaseClients.call('deploy', database, {}, wait)).status, 422)
    await checkHalted(context, volumeMissing, 'VolumeMissing')
    assert.deepEqual([...testBerth.engine.volumes], [])
  })

  test('a repair creates no volume if service and volume were both removed', async () => {
    await using context = await openRunning()
    const { testBerth, databaseClients, database } = context
    await testBerth.engine.removeService(database.appName)
    testBerth.engine.loseVolume(database.volume!)
    await waitForRecord(testBerth, databaseClients, database, ({ applicationStatus }) => applicationStatus === 'error')
    await checkHalted(context, volumeMissing, 'VolumeMissing')
    assert.deepEqual([...testBerth.engine.volumes], [])
  })

  test('creates a new volume if no server ever accepted a login on the missing one', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create()
    testBerth.engine.behave(database.appName, 'crash:1')
    assert.equal((await databaseClients.call('deploy', database, {}, wait)).status, 422)
    testBerth.engine.loseVolume((await databaseClients.one(database)).volume!)
    testBerth.engine.behave(database.appName, 'running')
    assert.equal((await databaseClients.complete('deploy', database)).applicationStatus, 'done')
  })
}

function replacedTests(): void {
  const replacements: [title: string, mark: string | null][] = [
    ['an emptied volume', null],
    ['data of another database', 'of-another'],
  ]
  for (const [title, mark] of replacements) {
    test(`start on ${title} ends in error without a login`, async () => {
      await using context = await openRunning()
      const { testBerth, databaseClients, database } = context
      await databaseClients.complete('stop', database)
      replaceData(context, mark)
      const { run } = testBerth.engine.calls
      const { status, body } = await databaseClients.call('start', database, {}, wait)
      assert.equal(status, 422)
      assert.match(body.message, dataReplaced)
      await checkHalted(context, dataReplaced, 'DataReplaced')
      assert.equal(testBerth.engine.calls.run, run)
      assert.deepEqual([...testBerth.engine.volumes], [database.volume])
    })
  }

  test('does not rotate passwords in the data of another database', async () => {
    await using context = await openRunning()
    const { testBerth, databaseClients, database } = context
    await databaseClients.complete('stop', database)
    replaceData(context)
    await databaseClients.ok('update', database, { [kind.secrets[0]!]: 'another password' })
    const { run } = testBerth.engine.calls
    await databaseClients.call('deploy', database, {}, wait)
    await checkHalted(context, dataReplaced, 'DataReplaced')
    assert.equal(testBerth.engine.calls.run, run)
  })

  test('starts and clears the fault after its own data is restored', async () => {
    await using context = await openRunning()
    const { testBerth, databaseClients, database } = context
    const { identity } = await identityOf(testBerth)
    await databaseClients.complete('stop', database)
    replaceData(context)
    await databaseClients.call('start', database, {}, wait)
    await checkHalted(context, dataReplaced, 'DataReplaced')
    replaceData(context, identity)
    const again = await databaseClients.complete('start', database)
    assert.deepEqual([again.applicationStatus, again.volumeFault, again.statusReason], ['done', null, null])
  })

  test('retries while the identity of the data cannot be read', async () => {
    await using context = await openRunning()
    const { testBerth, databaseClients, database } = context
    await databaseClients.complete('stop', database)
    const { dataMark } = testBerth.engine
    let refusals = 0
    testBerth.engine.dataMark = async (...args) => {
      if (++refusals <= 2) throw new EngineFailure('failed', 'not now')
      return dataMark(...args)
    }
    assert.equal((await databaseClients.complete('start', database)).applicationStatus, 'done')
    assert.ok(refusals > 2)
  })
}
