/**
 * Sets the clock forward by days during a run, and back. The run succeeds, no schedule runs twice, and retention keeps
 * the newest dump.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { until } from '../engine/until.ts'
import { type BackupFixture, openBackupFixture } from './backup-fixture.ts'
import type { Fields } from './database-clients.ts'

const hour = 3600_000
const day = 24 * hour

let runtime: BackupFixture
let aheadMs = 0
before(async () => {
  runtime = await openBackupFixture(12_000, { now: () => new Date(Date.now() + aheadMs) })
  await runtime.createDatabase('small', 100)
})
after(() => runtime[Symbol.asyncDispose]())

/** Creates a backup of a database that is small enough to be dumped at once. */
const createSmall = (prefix: string, more: Fields) => runtime.create(prefix, { database: 'small', ...more })

const now = () => Date.now() + aheadMs
const setClock = (ms: number) => {
  aheadMs = ms - Date.now()
}
const scheduledRuns = async (backupId: string) =>
  (await runtime.runsOf(backupId)).filter(({ trigger }) => trigger === 'schedule')
const waitForScheduledRuns = (backupId: string, count: number) =>
  until(`${count} scheduled runs to end`, async () => {
    const runs = await scheduledRuns(backupId)
    return runs.length === count && runs.every(({ status }) => status !== 'running') && runs
  })

describe('backups and the clock', { concurrency: 1 }, () => {
  test('a run succeeds and its dump is kept if the clock is set forward by five days during the run', async () => {
    setClock(Math.ceil(now() / hour) * hour + 60_000)
    const backupId = await runtime.create('forward', { schedule: '30 * * * *', keepDays: 1 })
    const first = await runtime.backUp(backupId, 'forward')
    const runId = await runtime.beginRun(backupId)
    aheadMs += 5 * day
    assert.equal((await runtime.runsOf(backupId)).at(-1)!.status, 'running', 'the run is still in progress')
    const ended = await runtime.waitForEnd(backupId, runId)
    assert.deepEqual([ended.status, ended.reason], ['done', null])
    const filesOf = (id: string) => runtime.filesUnder('forward').filter((name) => name.includes(id))
    await until('the old dump to be deleted', async () => filesOf(first.runId).length === 0)
    assert.equal(filesOf(runId).length, 2)
    const skipped = await waitForScheduledRuns(backupId, 1)
    assert.deepEqual(
      skipped.map(({ status }) => status),
      ['skipped'],
    )
    await runtime.backUp(backupId, 'forward')
  })

  test('a schedule runs once if the clock passes its time, is set back, and passes the time again', async () => {
    setClock(Math.ceil(now() / hour) * hour + 60_000)
    const backupId = await createSmall('back', { schedule: '30 * * * *', keepLatest: 1 })
    aheadMs += hour / 2
    const [run] = await waitForScheduledRuns(backupId, 1)
    assert.deepEqual([run!.status, run!.reason], ['done', null])
    aheadMs -= hour / 4
    // The end of the other backup's run shows that the scheduler has processed this time again.
    const otherId = await createSmall('other', { schedule: '30 * * * *' })
    aheadMs += hour / 4
    await waitForScheduledRuns(otherId, 1)
    assert.equal((await scheduledRuns(backupId)).length, 1)
    const last = await runtime.backUp(backupId, 'back')
    await until('the previous dump to be deleted', async () => runtime.filesUnder('back').length === 2)
    assert.ok(runtime.filesUnder('back').every((name) => name.includes(last.runId)))
  })
})
