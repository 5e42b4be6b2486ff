/** Restores into an existing service: the safety dump, and the new volume that replaces the old one, or does not. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { EngineFailure, type Outcome } from '../../src/engine/engine.ts'
import { waitForRecord } from '../fixtures/database-clients.ts'
import { type Input, wait } from '../fixtures/test-berth.ts'
import { pauseJobs, openShop, row, type Run, type Shop } from './restores.ts'

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

test('replaces the volume, keeps the old one, and restores the previous content from the safety dump', async () => {
  const { volume } = await shop.databaseClients.one(shop.database)
  const run = await shop.waitForEnd((await shop.restore(source)).runId)
  assert.deepEqual([run.status, run.reason, run.safety, run.fault, run.data], ['done', null, null, null, 'replaced'])
  assert.equal(shop.data.text, row(1))
  assert.deepEqual(await deploymentOf(run), ['restore', 'done', null])
  const volumes = await shop.testBerth.ok<{ name: string; state: string }[]>('volume.all')
  assert.deepEqual(
    volumes.map(({ name, state }) => [name === volume, state]),
    [
      [true, 'kept'],
      [false, 'attached'],
    ],
  )
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

async function deploymentOf({ deploymentId }: Run) {
  const all = await shop.testBerth.ok<Input[]>('deployment.all')
  const found = all.find((it) => it.deploymentId === deploymentId)!
  return [found.action, found.state, found.reasonCode]
}

/** Asserts that the restore succeeded, and that nothing of it is left. */
async function checkReplaced({ runId }: Run): Promise<void> {
  const run = await shop.waitForEnd(runId)
  assert.deepEqual([run.status, run.reason, run.data], ['done', null, 'replaced'])
  assert.equal(shop.data.text, row(1))
  await checkClean()
}

/** Asserts that the restore failed without a change, and that the service runs on as before. */
async function checkUnchanged({ runId }: Run): Promise<Run> {
  const run = await shop.waitForEnd(runId)
  const { safetyRunId } = run
  assert.deepEqual([run.status, run.data], ['error', 'unchanged'])
  assert.deepEqual(run.fault, { reason: 'LoadFailed', safetyRunId, data: 'unchanged' })
  assert.match(run.reason!, /The data of the database is unchanged\.$/)
  assert.deepEqual(await deploymentOf(run), ['restore', 'error', 'RestoreFailed'])
  assert.equal(shop.data.text, row(2))
  const record = await shop.databaseClients.one(shop.database)
  assert.deepEqual([record.applicationStatus, record.statusReason], ['done', null])
  await shop.testBerth.until('the removal of the new volume', async () =>
    (await shop.testBerth.ok<unknown[]>('volume.all')).length === 1 ? true : null,
  )
  await checkClean()
  return run
}

async function checkClean(): Promise<void> {
  const { engine, app } = shop.testBerth
  assert.deepEqual(await engine.listJobs(), [])
  assert.equal((await engine.services()).length, 1)
  assert.deepEqual(await app.db.selectFrom('move').selectAll().execute(), [])
}

test('continues after a restart of Berth during the load', async () => {
  const run = await startLoad()
  await shop.testBerth.restart(async () => {
    shop.before.do = () => undefined
    shop.testBerth.pass(5 * 3600_000)
  })
  await checkReplaced(run)
  assert.equal(loadCount(), 2)
})

test('continues after the engine was unavailable during the load', async () => {
  const run = await startLoad()
  shop.testBerth.engine.setDown(true)
  shop.before.do = () => undefined
  shop.testBerth.engine.setDown(false)
  shop.testBerth.pass(11_000)
  await checkReplaced(run)
})

test('refuses other work on the service during the load, and names the run', async () => {
  const load = pauseJobs(shop, 'load')
  const run = await shop.restore(source)
  await load.begun
  for (const verb of ['deploy', 'stop', 'remove']) {
    const { status, body } = await shop.databaseClients.call(verb, shop.database, { appName: shop.database.appName })
    assert.equal(status, 409, verb)
    assert.match(body.message, new RegExp(`run ${run.runId}.*backup\\.cancel`))
  }
  load.resume()
  await checkReplaced(run)
})

test('a restore that is cancelled returns to the old volume', async () => {
  const run = await startLoad()
  await shop.testBerth.ok('backup.cancel', { runId: run.runId })
  await shop.testBerth.until('the return', async () => {
    shop.testBerth.pass(3000)
    return (await shop.run(run.runId)).status === 'error' ? true : null
  })
  const { reason } = await checkUnchanged(run)
  assert.match(reason!, /^The run was cancelled\. /)
})

test('the service keeps its data if the tool of the load fails', async () => {
  shop.before.do = (part) => {
    if (part === 'load') throw new Error('the load fails')
  }
  const { reason } = await checkUnchanged(await shop.restore(source))
  assert.match(reason!, /the load fails/)
})

test('the service keeps its data if the object in the storage is damaged', async () => {
  const key = [...shop.bucket.objects.keys()].find((it) => it.startsWith('nightly') && !it.endsWith('.json'))!
  shop.bucket.objects.set(key, Buffer.from('damaged'))
  await checkUnchanged(await shop.restore(source))
})

test('the service keeps its data if the loaded data differs from the dump', async () => {
  shop.before.do = (part) => {
    if (part === 'load') shop.loseRows.next = true
  }
  const { reason } = await checkUnchanged(await shop.restore(source))
  assert.match(reason!, /differs/)
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
  testBerth.engine.answer = (task, program) => (shop.data.text === null ? refusal : answer(task, program))
  shop.data.text = null
  testBerth.engine.behave(database.appName, 'starting')
  await waitForRecord(testBerth, databaseClients, database, ({ containerState }) => containerState === 'starting')
  testBerth.engine.behave(database.appName, 'running')
  testBerth.pass(20_000)
  await waitForRecord(testBerth, databaseClients, database, ({ statusReason }) =>
    /rejects the stored/.test(statusReason ?? ''),
  )
  const dump = await shop.dump(source.backupId)
  assert.equal(dump.status, 'error', 'a dump fails, unlike a restore')
  const run = await shop.waitForEnd((await shop.restore(source)).runId)
  assert.deepEqual([run.status, run.reason, run.safety], ['done', null, 'TargetEmpty'])
  await waitForRecord(testBerth, databaseClients, database, ({ applicationStatus }) => applicationStatus === 'done')
})

/** Makes the volume use 2 MiB, and leaves 1 MiB free on its node. */
function fillNode(): void {
  const { answer } = shop.testBerth.engine
  const printed: Record<string, string> = {
    du: '2048\t/var/lib/mysql\n',
    df: 'Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/sda 4096 3072 1024 75% /\n',
  }
  shop.testBerth.engine.answer = (task, program) => {
    const stdout = printed[program.argv[0]!]
    return stdout === undefined ? answer(task, program) : { exitCode: 0, stdout, stderr: '' }
  }
}

test('refuses a restore for which its node has no room, and begins nothing', async () => {
  fillNode()
  const input = { ...source, mysqlId: shop.database.mysqlId, confirm: shop.database.appName }
  const { message } = await shop.testBerth.refused('PRECONDITION_FAILED', 'backup.restore', input)
  assert.match(message, /about 2097152 free bytes on node memory, where 1048576 are free/)
  assert.deepEqual(shop.jobs, [])
})

test('measures a service that the restore starts, before it changes anything', async () => {
  await shop.databaseClients.ok('stop', shop.database, {}, wait)
  fillNode()
  const run = await shop.waitForEnd((await shop.restore(source)).runId)
  assert.deepEqual([run.status, run.reasonCode, run.data], ['error', 'SpaceMissing', 'unchanged'])
  assert.deepEqual(shop.jobs, [])
})

test('waits with a restore while the node cannot measure its space', async () => {
  await shop.databaseClients.ok('stop', shop.database, {}, wait)
  const { engine } = shop.testBerth
  const { answer } = engine
  engine.answer = (task, program) => {
    if (program.argv[0] === 'df') throw new EngineFailure('nodeUnreachable', 'the node is away')
    return answer(task, program)
  }
  const { runId } = await shop.restore(source)
  const waiting = await shop.waitFor(runId, ({ reasonCode }) => reasonCode === 'EngineUnavailable')
  engine.answer = answer
  shop.testBerth.pass(11_000)
  await checkReplaced(waiting)
})

test('does not repeat a load that an older version of Berth began, and says that its outcome is unknown', async () => {
  const dump = pauseJobs(shop, 'dump')
  const { runId } = await shop.restore(source)
  await dump.begun
  const { app } = shop.testBerth
  await app.transact((tx) => tx.updateTable('backupRun').set({ step: 'load' }).where('id', '=', runId).execute())
  await shop.testBerth.restart(async () => {
    shop.before.do = () => undefined
  })
  const run = await shop.waitForEnd(runId)
  assert.deepEqual([run.status, run.data, run.deploymentId], ['error', null, null])
  assert.deepEqual(run.fault, { reason: 'LoadInterrupted', safetyRunId: run.safetyRunId, data: 'unknown' })
  assert.equal(loadCount(), 0)
})
