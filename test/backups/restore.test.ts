/** Restores into an existing service: the safety dump, and the load, which is never repeated. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import type { Outcome } from '../../src/engine/engine.ts'
import { waitForRecord } from '../fixtures/database-clients.ts'
import { answerSetting, pauseJobs, openShop, row, type Run, type Shop } from './restores.ts'

let shop: Shop
let source: { backupId: string; runId: string }
beforeEach(async () => {
  shop = await openShop()
  const backupId = await shop.backup('nightly')
  const { runId, status } = await shop.dump(backupId)
  assert.equal(status, 'done')
  source = { backupId, runId }
  shop.data.text = row(2)
  shop.jobs.length = 0
})
afterEach(() => shop[Symbol.asyncDispose]())

const loadCount = () => shop.jobs.filter((part) => part === 'load').length

/** Starts a restore and pauses its load. */
async function startLoad(): Promise<Run> {
  const load = pauseJobs(shop, 'load')
  const run = await shop.restore(source)
  await load.begun
  return run
}

test('replaces the database, and restores the previous content from the safety dump', async () => {
  const run = await shop.waitForEnd((await shop.restore(source)).runId)
  assert.deepEqual([run.status, run.reason, run.safety, run.fault], ['done', null, null, null])
  assert.equal(shop.data.text, row(1))
  const undo = await shop.waitForEnd((await shop.restore({ ...source, runId: run.safetyRunId })).runId)
  assert.equal(undo.status, 'done')
  assert.equal(shop.data.text, row(2))
})

test('makes no safety dump of a missing database, and records why', async () => {
  shop.data.text = null
  const run = await shop.waitForEnd((await shop.restore(source)).runId)
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
  const run = await shop.waitForEnd((await shop.restore({ ...source, skipSafetyDump: true })).runId)
  assert.deepEqual([run.status, run.safety], ['done', 'NotWanted'])
  const intoNewService = await shop.testBerth.ok<Run>('backup.restore', { ...source, appName: 'new-service' })
  assert.equal(intoNewService.safety, 'NewService')
  assert.equal((await shop.waitForEnd(intoNewService.runId)).status, 'done')
})

/** Asserts that the restore failed, that its safety dump can be restored, and that no load was repeated. */
async function checkInterrupted({ runId }: Run): Promise<void> {
  const run = await shop.waitForEnd(runId)
  const { safetyRunId } = run
  assert.deepEqual([run.status, run.fault], ['error', { reason: 'LoadInterrupted', safetyRunId, isAtomic: false }])
  assert.match(run.reason!, new RegExp(`never repeats.*backup\\.restore with runId ${safetyRunId}`))
  assert.equal(loadCount(), 1)
  assert.equal(shop.data.text, row(2))
  assert.deepEqual(await shop.testBerth.engine.listJobs(), [])
  shop.before.do = () => undefined
  shop.data.text = row(9)
  const undo = await shop.restore({ backupId: source.backupId, runId: safetyRunId })
  assert.equal((await shop.waitForEnd(undo.runId)).status, 'done')
  assert.equal(shop.data.text, row(2))
}

test('does not repeat a load during which Berth ended', async () => {
  const run = await startLoad()
  await shop.testBerth.restart(async () => {
    shop.testBerth.engine.leaveJob(`berth-load-${run.runId}`, run.runId)
    shop.testBerth.pass(5 * 3600_000)
  })
  await checkInterrupted(run)
})

test('does not repeat a load during which the engine became unavailable', async () => {
  const run = await startLoad()
  shop.testBerth.engine.setDown(true)
  const waiting = await shop.waitFor(run.runId, ({ reason }) => reason !== null)
  assert.deepEqual([waiting.status, waiting.step], ['running', 'load'])
  shop.testBerth.engine.setDown(false)
  shop.testBerth.pass(11_000)
  await checkInterrupted(run)
})

test('does not end the run while the engine is unavailable, because the load may still run', async () => {
  const run = await startLoad()
  shop.testBerth.engine.setDown(true)
  await shop.testBerth.ok('backup.cancel', { runId: run.runId })
  const waiting = await shop.waitFor(run.runId, ({ reason }) => reason !== null)
  assert.deepEqual([waiting.status, waiting.step], ['running', 'load'])
  shop.testBerth.engine.setDown(false)
  shop.testBerth.pass(11_000)
  const ended = await shop.waitForEnd(run.runId)
  assert.deepEqual([ended.status, ended.fault?.reason], ['error', 'LoadFailed'])
  assert.match(ended.reason!, /cancelled\. The database may contain a part/)
})

test('names the safety dump if the tool of the load fails', async () => {
  shop.before.do = (part) => {
    if (part === 'load') throw new Error('the load fails')
  }
  const run = await shop.waitForEnd((await shop.restore(source)).runId)
  assert.deepEqual([run.status, run.fault?.reason], ['error', 'LoadFailed'])
  assert.match(run.reason!, new RegExp(`runId ${run.safetyRunId} and this service`))
})

test('repeats the load into a service that the restore created', async () => {
  const load = pauseJobs(shop, 'load')
  const run = await shop.testBerth.ok<Run>('backup.restore', { ...source, appName: 'new-service' })
  await load.begun
  await shop.testBerth.restart(async () => {
    shop.before.do = () => undefined
  })
  const ended = await shop.waitForEnd(run.runId)
  assert.deepEqual([ended.status, ended.reason, loadCount()], ['done', null, 2])
})

test('repeats an interrupted safety dump, because the database may have changed', async () => {
  const dump = pauseJobs(shop, 'dump')
  const run = await shop.restore(source)
  await dump.begun
  await shop.testBerth.restart(async () => {
    shop.before.do = () => undefined
    shop.data.text = row(3)
  })
  const { status, safetyRunId } = await shop.waitForEnd(run.runId)
  assert.equal(status, 'done')
  assert.equal((await shop.waitForEnd((await shop.restore({ ...source, runId: safetyRunId })).runId)).status, 'done')
  assert.equal(shop.data.text, row(3))
})

test('restores a service that refuses logins because its database was dropped', async () => {
  const { testBerth, databaseClients, database } = shop
  const refusal: Outcome = { exitCode: 1, stdout: '', stderr: 'Unknown database' }
  const answer = testBerth.engine.answer
  testBerth.engine.answer = (_task, program) => answerSetting(shop.setting, program) ?? refusal
  testBerth.engine.behave(database.appName, 'starting')
  await waitForRecord(testBerth, databaseClients, database, ({ containerState }) => containerState === 'starting')
  testBerth.engine.behave(database.appName, 'running')
  testBerth.pass(20_000)
  await waitForRecord(testBerth, databaseClients, database, ({ statusReason }) =>
    /rejects the stored/.test(statusReason ?? ''),
  )
  shop.data.text = null
  const dump = await shop.dump(source.backupId)
  assert.equal(dump.status, 'error', 'a dump fails, unlike a restore')
  const run = await shop.waitForEnd((await shop.restore(source)).runId)
  assert.deepEqual([run.status, run.reason, run.safety], ['done', null, 'TargetEmpty'])
  testBerth.engine.answer = answer
  testBerth.pass(600_000)
  await waitForRecord(testBerth, databaseClients, database, ({ applicationStatus }) => applicationStatus === 'done')
})
