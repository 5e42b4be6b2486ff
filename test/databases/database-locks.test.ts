/**
 * Locks of a database during dumps, restores and moves. Dumps share the database, a restore or a move locks it
 * exclusively. The table `runs` has the expected result of a call during each run.
 */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import type { RunStep } from '../../src/backups/table.ts'
import { insertRun } from '../../src/backups/run-queries.ts'
import { isClosedToDumps, isClosedToRestores, lockingRestore } from '../../src/backups/database-locks.ts'
import { until } from '../engine/until.ts'
import { pauseJobs, openShop, row, type Run, type Shop } from '../backups/restores.ts'
import { type Failure, type Input, wait } from '../fixtures/test-berth.ts'

let shop: Shop
let source: { backupId: string; runId: string }
beforeEach(async () => {
  shop = await openShop()
  const backupId = await shop.backup('nightly')
  const { runId } = await shop.dump(backupId)
  source = { backupId, runId }
  shop.data.text = row(2)
  shop.jobs.length = 0
})
afterEach(() => shop[Symbol.asyncDispose]())

const id = () => shop.database.mysqlId as string
const rowOf = (runId: string) =>
  shop.testBerth.app.db.selectFrom('backupRun').selectAll().where('id', '=', runId).executeTakeFirstOrThrow()

/** The dumps and loads so far. A restore also dumps the loaded database, to compare it with the manifest. */
const transfers = () => shop.jobs.filter((kind) => kind === 'dump' || kind === 'load')

/** Passes the delay of waiting runs and wakes their loop. */
function wakeRuns(): void {
  shop.testBerth.pass(3000)
  shop.testBerth.app.wake('backups')
}

const otherWork: [verb: string, input: () => Input][] = [
  ['deploy', () => ({})],
  ['start', () => ({})],
  ['reload', () => ({ appName: shop.database.appName })],
  ['saveExternalPort', () => ({ externalPort: 13307 })],
  ['stop', () => ({})],
  ['remove', () => ({})],
]
const runs: [
  title: string,
  action: 'dump' | 'restore',
  step: RunStep,
  status: 'waiting' | 'running',
  expected: { work: 200 | 409; dumps: boolean; restores: boolean; isInterrupted?: boolean },
][] = [
  ['a dump', 'dump', 'dump', 'running', { work: 200, dumps: false, restores: true, isInterrupted: true }],
  ['a waiting dump', 'dump', 'dump', 'waiting', { work: 200, dumps: false, restores: false }],
  ['the check of a dump', 'dump', 'check', 'running', { work: 200, dumps: false, restores: false }],
  ['the preparation of a restore', 'restore', 'prepare', 'running', { work: 200, dumps: true, restores: false }],
  ['a safety dump', 'restore', 'safety', 'running', { work: 409, dumps: true, restores: false }],
  ['a load', 'restore', 'load', 'running', { work: 409, dumps: true, restores: false }],
  ['a load that waits for the engine', 'restore', 'load', 'waiting', { work: 409, dumps: true, restores: false }],
]

for (const [title, action, step, status, expected] of runs) {
  test(`responds ${expected.work} to other work on the database during ${title}`, async () => {
    const { testBerth, databaseClients, database } = shop
    const { db, transact } = testBerth.app
    const runId = testBerth.app.newId()
    // The loop skips runs that are not due.
    await transact((tx) =>
      insertRun(
        tx,
        {
          id: runId,
          action,
          trigger: 'manual',
          kind: 'mysql',
          databaseId: id(),
          database: 'shop',
          step,
          status,
          dueAt: '2040-01-01T00:00:00.000Z',
          destinationId: 'none',
        },
        testBerth.now(),
      ),
    )
    assert.equal(await isClosedToDumps(db, id()), expected.dumps)
    assert.equal(await isClosedToRestores(db, id()), expected.restores)
    for (const [verb, input] of otherWork) {
      const before = testBerth.changes()
      const { status: responseStatus, body } = await databaseClients.call(verb, database, input(), wait)
      assert.equal(responseStatus, expected.work, `${verb}: ${JSON.stringify(body)}`)
      const isInterrupted = verb !== 'saveExternalPort' && expected.isInterrupted === true
      assert.equal((await rowOf(runId)).interrupted, isInterrupted ? 1 : 0, verb)
      await transact((tx) => tx.updateTable('backupRun').set({ interrupted: 0 }).where('id', '=', runId).execute())
      if (expected.work === 200) continue
      assert.match((body as Failure).message, new RegExp(`run ${runId}.*backup\\.cancel`))
      assert.deepEqual(testBerth.changes(), before)
      assert.equal((await lockingRestore(db, id()))?.id, runId)
    }
  })
}

test('a dump waits for a restore and then succeeds at its first attempt', async () => {
  const load = pauseJobs(shop, 'load')
  const restore = await shop.restore(source)
  await load.begun
  const other = await shop.backup('other')
  const { runId } = await shop.testBerth.ok<Run>('backup.manualBackupMySql', { backupId: other })
  wakeRuns()
  await until('the run to wait', async () => Date.parse((await rowOf(runId)).dueAt) > shop.testBerth.now().getTime())
  assert.deepEqual([(await rowOf(runId)).status, transfers()], ['waiting', ['dump', 'load']])
  load.resume()
  assert.equal((await shop.waitForEnd(restore.runId)).status, 'done')
  wakeRuns()
  const dump = await shop.waitForEnd(runId)
  assert.deepEqual([dump.status, dump.reason, dump.attempt], ['done', null, 1])
})

test('a restore waits for the running dump, and later dumps wait for the restore', async () => {
  const dump = pauseJobs(shop, 'dump')
  const { runId: first } = await shop.testBerth.ok<Run>('backup.manualBackupMySql', { backupId: source.backupId })
  await dump.begun
  const restore = await shop.restore({ runId: source.runId })
  await until(
    'the restore to wait',
    async () =>
      (await rowOf(restore.runId)).status === 'waiting' &&
      Date.parse((await rowOf(restore.runId)).dueAt) > shop.testBerth.now().getTime(),
  )
  const { runId: second } = await shop.testBerth.ok<Run>('backup.manualBackupMySql', {
    backupId: await shop.backup('other'),
  })
  wakeRuns()
  await until(
    'the second dump to wait',
    async () => Date.parse((await rowOf(second)).dueAt) > shop.testBerth.now().getTime(),
  )
  assert.deepEqual(shop.jobs, ['dump'])
  dump.resume()
  assert.equal((await shop.waitForEnd(first)).status, 'done')
  wakeRuns()
  assert.equal((await shop.waitForEnd(restore.runId)).status, 'done')
  wakeRuns()
  assert.equal((await shop.waitForEnd(second)).status, 'done')
  assert.deepEqual(transfers(), ['dump', 'dump', 'load', 'dump', 'dump'])
})

for (const verb of ['deploy', 'reload']) {
  test(`${verb} aborts a running dump, which then starts again`, async () => {
    const dump = pauseJobs(shop, 'dump')
    const { runId } = await shop.testBerth.ok<Run>('backup.manualBackupMySql', { backupId: source.backupId })
    await dump.begun
    shop.before.do = () => undefined
    await shop.databaseClients.ok(
      verb,
      shop.database,
      verb === 'reload' ? { appName: shop.database.appName } : {},
      wait,
    )
    shop.testBerth.app.wake('backups')
    await until('the attempt to end', async () => (await rowOf(runId)).status === 'waiting')
    wakeRuns()
    const run = await shop.waitForEnd(runId)
    assert.deepEqual([run.status, run.reason, run.attempt], ['done', null, 1])
    assert.deepEqual(shop.jobs, ['dump', 'dump'])
  })
}

test('stop aborts a running dump; the next attempt fails because the service is stopped', async () => {
  const dump = pauseJobs(shop, 'dump')
  const { runId } = await shop.testBerth.ok<Run>('backup.manualBackupMySql', { backupId: source.backupId })
  await dump.begun
  await shop.databaseClients.ok('stop', shop.database, {}, wait)
  shop.testBerth.app.wake('backups')
  await until('the attempt to end', async () => (await rowOf(runId)).status === 'waiting')
  wakeRuns()
  const run = await shop.waitForEnd(runId)
  assert.deepEqual([run.status, run.reason, run.attempt], ['error', 'The service is stopped', 1])
  assert.deepEqual(await shop.testBerth.engine.listJobs(), [])
})

test('a cancelled restore unlocks the database', async () => {
  const load = pauseJobs(shop, 'load')
  const restore = await shop.restore(source)
  await load.begun
  assert.equal((await shop.databaseClients.call('stop', shop.database)).status, 409)
  await shop.testBerth.ok('backup.cancel', { runId: restore.runId })
  await until('the end of the restore', async () => {
    wakeRuns()
    return (await shop.run(restore.runId)).status === 'error' ? true : null
  })
  await shop.databaseClients.ok('stop', shop.database, {}, wait)
})

test('opens a gateway that was removed after a restore, not during the restore', async () => {
  const { testBerth, databaseClients, database } = shop
  await databaseClients.ok('saveExternalPort', database, { externalPort: 13306 }, wait)
  const load = pauseJobs(shop, 'load')
  const restore = await shop.restore(source)
  await load.begun
  await testBerth.engine.removeService(databaseClients.gateway(database))
  testBerth.app.wake('services')
  testBerth.app.wake('watch')
  assert.equal(testBerth.engine.specOf(databaseClients.gateway(database)), null)
  load.resume()
  assert.equal((await shop.waitForEnd(restore.runId)).status, 'done')
  await testBerth.until('the repair', async () => testBerth.engine.specOf(databaseClients.gateway(database)) ?? null)
})

test('a restore waits for a move, while stop is refused', async () => {
  const { testBerth, database, databaseClients } = shop
  const place = { nodeId: 'n', nodeName: 'n', nodeAddress: 'a', volumeId: null }
  const set = (deploymentId: string | null) =>
    testBerth.app.transact(async (tx) => {
      await tx.updateTable('database').set({ deploymentId }).where('id', '=', id()).execute()
      if (deploymentId === null) await tx.deleteFrom('move').execute()
      else
        await tx
          .insertInto('move')
          .values({ ...place, databaseId: id(), deploymentId, step: 'copy' })
          .execute()
    })
  await set('a move')
  assert.equal(await isClosedToDumps(testBerth.app.db, id()), true)
  assert.match((await databaseClients.call('stop', database)).body.message, /is being moved/)
  const restore = await shop.restore(source)
  await until(
    'the restore to wait',
    async () =>
      (await rowOf(restore.runId)).status === 'waiting' &&
      Date.parse((await rowOf(restore.runId)).dueAt) > testBerth.now().getTime(),
  )
  await set(null)
  wakeRuns()
  assert.equal((await shop.waitForEnd(restore.runId)).status, 'done')
})
