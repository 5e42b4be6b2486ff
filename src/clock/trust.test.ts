/** Which readings of the clock are trusted, and which times Berth uses while it trusts none. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClockReading, type ClockReason, judge } from './trust.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const year = 365 * day

const trustedMs = Date.parse('2030-01-01T00:00:00.000Z')
const trusted: ClockReading = { wallMs: trustedMs, uptimeMs: 50 * hour, bootId: 'first' }

/** How long after the trusted reading the clock is read, and by how much it was set meanwhile. */
interface Case {
  what: string
  passedMs: number
  setMs: number
  /** The uptime after a start of the machine; undefined: it was not started. */
  uptimeMs?: number
  reason: ClockReason | null
  /** The time for records, and the one for the validity of tokens, each relative to the actual time. */
  now: number
  latest: number
}

const inOneRun = (passedMs: number): Case[] => [
  { what: 'not set', passedMs, setMs: 0, reason: null, now: 0, latest: 0 },
  { what: 'ahead by five minutes', passedMs, setMs: 5 * minute, reason: null, now: 5 * minute, latest: 5 * minute },
  { what: 'back by five minutes', passedMs, setMs: -5 * minute, reason: null, now: -5 * minute, latest: 0 },
  ...[6 * minute, day, year, 10 * year].flatMap((ms): Case[] => [
    { what: `ahead by ${ms}`, passedMs, setMs: ms, reason: clockSet(ms), now: 0, latest: ms },
    { what: `back by ${ms}`, passedMs, setMs: -ms, reason: clockSet(-ms), now: 0, latest: 0 },
  ]),
]

const clockSet = (ms: number): ClockReason => ({ reason: 'ClockSet', minutes: ms / minute })
const unverified = (ms: number): ClockReason => ({ reason: 'ClockUnverified', minutes: ms / minute })
const behind = (ms: number): ClockReason => ({ reason: 'ClockBehind', minutes: ms / minute })

/** The machine was off for all but the last minute. */
const afterStart: Case[] = [
  { what: 'a start within five minutes', passedMs: 4 * minute, setMs: 0, reason: null, now: 0, latest: 0 },
  { what: 'a week off', passedMs: 7 * day, setMs: 0, reason: unverified(7 * day - minute), now: 0, latest: 0 },
  {
    what: 'a start and a year ahead',
    passedMs: minute,
    setMs: year,
    reason: unverified(year),
    now: year,
    latest: year,
  },
  { what: 'a start and a day back', passedMs: minute, setMs: -day, reason: behind(day), now: 0, latest: 0 },
  {
    what: 'an hour off and ten years back',
    passedMs: hour,
    setMs: -10 * year,
    reason: behind(10 * year - 59 * minute),
    // Berth knows only that the last minute has passed.
    now: -59 * minute,
    latest: -59 * minute,
  },
].map((each) => ({ ...each, uptimeMs: minute }))

const cases = [...inOneRun(1000), ...inOneRun(hour), ...inOneRun(2 * day), ...afterStart]

for (const { what, passedMs, setMs, uptimeMs, reason, now, latest } of cases) {
  test(`${what}, ${passedMs / 1000} s after the last trusted time`, () => {
    const actualMs = trustedMs + passedMs
    const reading: ClockReading = {
      wallMs: actualMs + setMs,
      uptimeMs: uptimeMs ?? trusted.uptimeMs + passedMs,
      bootId: uptimeMs === undefined ? 'first' : 'second',
    }
    const judged = judge(trusted, reading)
    assert.deepEqual(
      { reason: judged.reason, now: judged.nowMs - actualMs, latest: judged.latestMs - actualMs },
      { reason, now, latest },
    )
  })
}

test('an uptime that is less than before means that the machine was started', () => {
  const judged = judge(trusted, { wallMs: trustedMs + day, uptimeMs: minute, bootId: 'first' })
  assert.deepEqual(judged.reason, unverified(day - minute))
})
