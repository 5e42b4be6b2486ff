import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Run } from '../../../../../client/client.ts'
import { calendarDays, daySentence, daysOf, movedTo, proofsOf, weekdayOf } from './days.ts'

const now = new Date(2026, 10, 24, 12).getTime()
const at = (daysAgo: number, hour: number) => new Date(2026, 10, 24 - daysAgo, hour).toISOString()
const never = () => false

const run = (patch: Partial<Run>): Run =>
  ({
    ...{ runId: 'r', backupId: 'b', databaseType: 'postgres', databaseId: 'd', database: 'orders', action: 'dump' },
    ...{ trigger: 'schedule', status: 'done', step: null, attempt: 1, reason: null, reasonCode: null, fault: null },
    ...{ key: 'k', sizeBytes: 2048, rawBytes: 4096, rowCount: 5, shrunkFrom: null, sha256: null, progressBytes: 0 },
    ...{ bytesPerSecond: null, encrypted: false, sourceRunId: null, safetyRunId: null, safety: null, expiresAt: null },
    ...{ verifiedAt: null, createdAt: at(0, 3), startedAt: at(0, 3), finishedAt: at(0, 4) },
    ...patch,
  }) as Run

const today = (...runs: Run[]) => daysOf(runs, now, never).at(-1)!

test('has 90 days, the last of which is today', () => {
  const days = daysOf([], now, never)
  assert.equal(days.length, calendarDays)
  assert.ok(days.at(-1)!.from <= now && now < days.at(-1)!.to)
  for (const [i, day] of days.entries()) if (i > 0) assert.equal(days[i - 1]!.to, day.from)
})

test('tells the proof of each dump', () => {
  const cases: [Partial<Run>, string][] = [
    [{ verifiedAt: at(0, 5) }, 'verified'],
    [{}, 'readBack'],
    [{ key: null }, 'deleted'],
    [{ status: 'error' }, 'failed'],
    [{ status: 'error', reasonCode: 'Cancelled' }, 'cancelled'],
    [{ status: 'skipped', startedAt: null }, 'missed'],
    [{ status: 'running' }, 'working'],
  ]
  for (const [patch, proof] of cases) assert.deepEqual(proofsOf(today(run(patch))), [{ proof, count: 1 }])
})

test('counts a drill only if it found the dump to be wrong', () => {
  const drill = (patch: Partial<Run>) => today(run({ action: 'verify', key: null, sourceRunId: 'r', ...patch }))
  assert.deepEqual(proofsOf(drill({ reasonCode: 'RestoredEqual' })), [])
  assert.deepEqual(proofsOf(drill({ status: 'error', reasonCode: 'ServiceDown' })), [])
  assert.deepEqual(proofsOf(drill({ status: 'error', reasonCode: 'ContentDiffers' })), [{ proof: 'failed', count: 1 }])
})

test('marks days on which a dump was due and none was begun', () => {
  const days = daysOf([run({ createdAt: at(1, 3), startedAt: at(1, 3) })], now, (from) => from >= Date.parse(at(2, 0)))
  assert.deepEqual(
    days.slice(-4).map((day) => proofsOf(day).map(({ proof }) => proof)),
    [[], ['missed'], ['readBack'], ['missed']],
  )
})

test('says a day in one sentence', () => {
  assert.equal(
    daySentence(today(run({}), run({ verifiedAt: at(0, 5) }), run({ action: 'verify' }))),
    'Tuesday, 24 November 2026: 1 verified by a restore, 1 read back. The newest good dump has 2 KiB. 1 verification or restore',
  )
  assert.equal(daySentence(today()), 'Tuesday, 24 November 2026: no dump')
})

test('moves by days and weeks, and not beyond the calendar', () => {
  const days = daysOf([], now, never)
  assert.equal(weekdayOf(days.at(-1)!.from), 1)
  const cases: [string, number, boolean, number | null][] = [
    ['ArrowLeft', 20, true, 13],
    ['ArrowDown', 20, true, 21],
    ['ArrowLeft', 20, false, 19],
    ['ArrowDown', 20, false, 27],
    ['ArrowRight', 89, true, 89],
    ['ArrowUp', 0, true, 0],
    ['Home', 20, true, 0],
    ['End', 20, true, 89],
    ['Tab', 20, true, null],
  ]
  for (const [key, from, isByColumns, to] of cases) assert.equal(movedTo(key, from, days, isByColumns), to, key)
})
