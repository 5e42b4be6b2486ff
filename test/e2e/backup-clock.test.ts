/**
 * The clock is set forward by days in the middle of a run, and back again: the run comes to its good end, no schedule
 * runs twice, and retention leaves what was made last.
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

/** Of a database whose dump nothing disturbs. */
const createSmall = (prefix: string, more: Fields) => runtime.create(prefix, { database: 'small', ...more })

const now = () => Date.now() + aheadMs
const setTo = (ms: number) => {
  aheadMs = ms - Date.now()
}
const scheduled = async (backupId: string) =>
  (await runtime.runsOf(backupId)).filter(({ trigger }) => trigger === 'schedule')
const allDone = (backupId: string, count: number) =>
  until(`${count} runs`, async () => {
    const runs = await scheduled(backupId)
    return runs.length === count && runs.every(({ status }) => status !== 'running') && runs
  })

describe('backups and the clock', { concurrency: 1 }, () => {
  test('set forward by five days in the middle of a run: it is good, and the last one stays', async () => {
    setTo(Math.ceil(now() / hour) * hour + 60_000)
    const backupId = await runtime.create('forward', { schedule: '30 * * * *', keepDays: 1 })
    const first = await runtime.backUp(backupId, 'forward')
    const runId = await runtime.beginRun(backupId)
    aheadMs += 5 * day
    assert.equal((await runtime.runsOf(backupId)).at(-1)!.status, 'running', 'in the middle')
    const ended = await runtime.waitForEnd(backupId, runId)
    assert.deepEqual([ended.status, ended.reason], ['done', null])
    const filesOf = (id: string) => runtime.filesUnder('forward').filter((name) => name.includes(id))
    await until('the old one to go', async () => filesOf(first.runId).length === 0)
    assert.equal(filesOf(runId).length, 2)
    const skipped = await allDone(backupId, 1)
    assert.deepEqual(
      skipped.map(({ status }) => status),
      ['skipped'],
    )
    await runtime.backUp(backupId, 'forward')
  })

  test('set forward over one time and back before it: it is run once', async () => {
    setTo(Math.ceil(now() / hour) * hour + 60_000)
    const backupId = await createSmall('back', { schedule: '30 * * * *', keepLatest: 1 })
    aheadMs += hour / 2
    const [run] = await allDone(backupId, 1)
    assert.deepEqual([run!.status, run!.reason], ['done', null])
    aheadMs -= hour / 4
    const other = await createSmall('seen', { schedule: '30 * * * *' })
    aheadMs += hour / 4
    await allDone(other, 1)
    assert.equal((await scheduled(backupId)).length, 1)
    const last = await runtime.backUp(backupId, 'back')
    await until('the one before to go', async () => runtime.filesUnder('back').length === 2)
    assert.ok(runtime.filesUnder('back').every((name) => name.includes(last.runId)))
  })
})
