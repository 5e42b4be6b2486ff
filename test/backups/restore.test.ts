/** Restores into an existing service: the safety dump, and a load that starts only once. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import type { Outcome } from '../../src/engine/engine.ts'
import { seen } from '../fixtures/database-clients.ts'
import { holding, openShop, row, type Run, type Shop } from './restores.ts'

let shop: Shop
let source: { backupId: string; runId: string }
beforeEach(async () => {
  shop = await openShop()
  const backupId = await shop.backup('nightly')
  const { runId, status } = await shop.dumped(backupId)
  assert.equal(status, 'done')
  source = { backupId, runId }
  shop.data.text = row(2)
  shop.jobs.length = 0
})
afterEach(() => shop[Symbol.asyncDispose]())

const loads = () => shop.jobs.filter((part) => part === 'load').length

async function restoring(): Promise<Run> {
  const load = holding(shop, 'load')
  const run = await shop.restore(source)
  await load.begun
  return run
}

test('replaces the database; the safety dump restores it', async () => {
  const run = await shop.ended((await shop.restore(source)).runId)
  assert.deepEqual([run.status, run.reason, run.safety, run.fault], ['done', null, null, null])
  assert.equal(shop.data.text, row(1))
  const back = await shop.ended((await shop.restore({ ...source, runId: run.safetyRunId })).runId)
  assert.equal(back.status, 'done')
  assert.equal(shop.data.text, row(2))
})

test('makes no safety dump of a missing database, and records why', async () => {
  shop.data.text = null
  const run = await shop.ended((await shop.restore(source)).runId)
  assert.deepEqual([run.status, run.reason, run.safety, run.safetyRunId], ['done', null, 'TargetEmpty', null])
  assert.equal(shop.data.text, row(1))
  const all = await shop.testBerth.ok<Run[]>('backup.runs', { backupId: source.backupId })
  assert.deepEqual(
    all.map(({ action, status }) => [action, status]),
    [
      ['dump', 'done'],
      ['restore', 'done'],
    ],
  )
  assert.deepEqual(
    [...shop.bucket.objects.keys()].filter((key) => key.includes('safety')),
    [],
  )
})

test('records the reason for a missing safety dump', async () => {
  const run = await shop.ended((await shop.restore({ ...source, skipSafetyDump: true })).runId)
  assert.deepEqual([run.status, run.safety], ['done', 'NotWanted'])
  const made = await shop.testBerth.ok<Run>('backup.restore', { ...source, appName: 'a-new-one' })
  assert.equal(made.safety, 'NewService')
  assert.equal((await shop.ended(made.runId)).status, 'done')
})

/** Asserts that the restore failed, that its safety dump can be restored, and that no load was repeated. */
async function checkInterrupted({ runId }: Run): Promise<void> {
  const run = await shop.ended(runId)
  const { safetyRunId } = run
  assert.deepEqual([run.status, run.fault], ['error', { reason: 'LoadInterrupted', safetyRunId, isAtomic: false }])
  assert.match(run.reason!, new RegExp(`never begun again.*backup\\.restore with runId ${safetyRunId}`))
  assert.equal(loads(), 1)
  assert.equal(shop.data.text, row(2))
  assert.deepEqual(await shop.testBerth.engine.listJobs(), [])
  shop.before.do = () => undefined
  shop.data.text = row(9)
  const back = await shop.restore({ backupId: source.backupId, runId: safetyRunId })
  assert.equal((await shop.ended(back.runId)).status, 'done')
  assert.equal(shop.data.text, row(2))
}

test('does not repeat a load that ended with Berth', async () => {
  const run = await restoring()
  await shop.testBerth.restart(async () => {
    shop.testBerth.engine.leaveJob(`berth-load-${run.runId}`, run.runId)
    shop.testBerth.pass(5 * 3600_000)
  })
  await checkInterrupted(run)
})

test('does not repeat a load that lost the engine', async () => {
  const run = await restoring()
  shop.testBerth.engine.setDown(true)
  const waiting = await shop.waitFor(run.runId, ({ reason }) => reason !== null)
  assert.deepEqual([waiting.status, waiting.step], ['running', 'load'])
  shop.testBerth.engine.setDown(false)
  shop.testBerth.pass(11_000)
  await checkInterrupted(run)
})

test('does not end the run while the engine is unavailable, because the load may still run', async () => {
  const run = await restoring()
  shop.testBerth.engine.setDown(true)
  await shop.testBerth.ok('backup.cancel', { runId: run.runId })
  const waiting = await shop.waitFor(run.runId, ({ reason }) => reason !== null)
  assert.deepEqual([waiting.status, waiting.step], ['running', 'load'])
  shop.testBerth.engine.setDown(false)
  shop.testBerth.pass(11_000)
  const ended = await shop.ended(run.runId)
  assert.deepEqual([ended.status, ended.fault?.reason], ['error', 'LoadFailed'])
  assert.match(ended.reason!, /backup\.cancel\. The database may hold a part/)
})

test('a load whose tool fails names the safety dump', async () => {
  shop.before.do = (part) => {
    if (part === 'load') throw new Error('not this one')
  }
  const run = await shop.ended((await shop.restore(source)).runId)
  assert.deepEqual([run.status, run.fault?.reason], ['error', 'LoadFailed'])
  assert.match(run.reason!, new RegExp(`runId ${run.safetyRunId} and this service`))
})

test('repeats the load into a service that the restore created', async () => {
  const load = holding(shop, 'load')
  const run = await shop.testBerth.ok<Run>('backup.restore', { ...source, appName: 'a-new-one' })
  await load.begun
  await shop.testBerth.restart(async () => {
    shop.before.do = () => undefined
  })
  const ended = await shop.ended(run.runId)
  assert.deepEqual([ended.status, ended.reason, loads()], ['done', null, 2])
})

test('repeats an interrupted safety dump, because the database may have changed', async () => {
  const dump = holding(shop, 'dump')
  const run = await shop.restore(source)
  await dump.begun
  await shop.testBerth.restart(async () => {
    shop.before.do = () => undefined
    shop.data.text = row(3)
  })
  const { status, safetyRunId } = await shop.ended(run.runId)
  assert.equal(status, 'done')
  assert.equal((await shop.ended((await shop.restore({ ...source, runId: safetyRunId })).runId)).status, 'done')
  assert.equal(shop.data.text, row(3))
})

test('restores a service that refuses logins because its database was dropped', async () => {
  const { testBerth, databaseClients, database } = shop
  const refusal: Outcome = { exitCode: 1, stdout: '', stderr: 'Unknown database' }
  const answer = testBerth.engine.answer
  testBerth.engine.answer = () => refusal
  testBerth.engine.behave(database.appName, 'starting')
  await seen(testBerth, databaseClients, database, ({ containerState }) => containerState === 'starting')
  testBerth.engine.behave(database.appName, 'running')
  testBerth.pass(20_000)
  await seen(testBerth, databaseClients, database, ({ statusReason }) => /rejects the stored/.test(statusReason ?? ''))
  shop.data.text = null
  const dump = await shop.dumped(source.backupId)
  assert.equal(dump.status, 'error', 'a dump still reports the error')
  const run = await shop.ended((await shop.restore(source)).runId)
  assert.deepEqual([run.status, run.reason, run.safety], ['done', null, 'TargetEmpty'])
  testBerth.engine.answer = answer
  testBerth.pass(600_000)
  await seen(testBerth, databaseClients, database, ({ applicationStatus }) => applicationStatus === 'done')
})
