/**
 * The clock is wrong by days during a run. The run succeeds, nothing is deleted and no schedule runs for it, and
 * retention continues when the clock is right again.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { until } from '../engine/until.ts'
import { type BackupFixture, openBackupFixture } from './backup-fixture.ts'
import type { Fields } from './database-clients.ts'

const hour = 3600_000
const day = 24 * hour

let runtime: BackupFixture
/** Time that both clocks of the machine count. */
let passedMs = 0
/** The error of the clock that can be set. */
let aheadMs = 0
before(async () => {
  runtime = await openBackupFixture(12_000, {
    now: () => new Date(Date.now() + passedMs + aheadMs),
    uptimeMs: () => performance.now() + passedMs,
  })
  await runtime.createDatabase('small', 100)
})
after(() => runtime[Symbol.asyncDispose]())

/** Creates a backup of a database that is small enough to be dumped at once. */
const createSmall = (prefix: string, more: Fields) => runtime.create(prefix, { database: 'small', ...more })

/** Lets time pass until a minute after the next full hour, so that no schedule is due by itself. */
function passFullHour() {
  const nowMs = Date.now() + passedMs
  passedMs += Math.ceil(nowMs / hour) * hour + 60_000 - nowMs
}
const scheduledRuns = async (backupId: string) =>
  (await runtime.runsOf(backupId)).filter(({ trigger }) => trigger === 'schedule')
const waitForScheduledRuns = (backupId: string, count: number) =>
  until(`${count} scheduled runs to end`, async () => {
    const runs = await scheduledRuns(backupId)
    return runs.length === count && runs.every(({ status }) => status !== 'running') && runs
  })

describe('backups and the clock', { concurrency: 1 }, () => {
  test('a run succeeds and older dumps are kept if the clock is set forward by days during the run', async () => {
    passFullHour()
    const backupId = await runtime.create('forward', { schedule: '30 * * * *', keepDays: 1 })
    const filesOf = (id: string) => runtime.filesUnder('forward').filter((name) => name.includes(id))
    const first = await runtime.backUp(backupId, 'forward')
    const runId = await runtime.beginRun(backupId)
    aheadMs += 5 * day
    assert.equal((await runtime.runsOf(backupId)).at(-1)!.status, 'running', 'the run is still in progress')
    const ended = await runtime.waitForEnd(backupId, runId)
    assert.deepEqual([ended.status, ended.reason], ['done', null])
    const kept = (await runtime.runsOf(backupId)).map(({ key }) => key)
    assert.deepEqual(kept, [first.key, ended.key])
    assert.deepEqual(await scheduledRuns(backupId), [], 'no schedule is due')

    aheadMs = 0
    passedMs += 5 * day
    // The last time of the schedule is too long ago.
    const [skipped] = await waitForScheduledRuns(backupId, 1)
    assert.equal(skipped!.status, 'skipped')
    const last = await runtime.backUp(backupId, 'forward')
    await until('the old dumps to be deleted', async () => filesOf(first.runId).length + filesOf(runId).length === 0)
    assert.equal(filesOf(last.runId).length, 2)
  })

  test('a schedule runs once, at its time, while the clock is set forward and back', async () => {
    passFullHour()
    const backupId = await createSmall('back', { schedule: '30 * * * *', keepLatest: 1 })
    aheadMs += hour / 2
    await runtime.backUp(backupId, 'back')
    assert.deepEqual(await scheduledRuns(backupId), [], 'only the clock has passed the time')
    passedMs += hour / 2
    const [run] = await waitForScheduledRuns(backupId, 1)
    assert.deepEqual([run!.status, run!.reason], ['done', null])
    aheadMs -= hour
    const last = await runtime.backUp(backupId, 'back')
    assert.equal((await scheduledRuns(backupId)).length, 1)
    await until('the previous dumps to be deleted', async () => runtime.filesUnder('back').length === 2)
    assert.ok(runtime.filesUnder('back').every((name) => name.includes(last.runId)))
  })
})
