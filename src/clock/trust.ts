/**
 * Decides whether the clock of the machine is trusted: it has to agree with the last trusted time and with what the
 * monotonic clock counted since. Pure.
 */

/** A reading of both clocks. */
export interface ClockReading {
  /** The clock of the machine, in milliseconds since 1970. */
  wallMs: number
  /** How long the machine has been up, in milliseconds. Nobody can set this clock. */
  uptimeMs: number
  /** Identifies the start of the machine that `uptimeMs` counts from. */
  bootId: string
}

/** Two times agree if they differ by at most this. NTP and leap seconds correct less. */
export const toleranceMs = 5 * 60_000

export const agree = (oneMs: number, otherMs: number): boolean => Math.abs(oneMs - otherMs) <= toleranceMs

/** A time after this one, in ISO 8601, comes from a clock that was ahead. */
export const futureFrom = (now: Date): string => new Date(now.getTime() + toleranceMs).toISOString()

/** Why the clock is not trusted. Minutes are rounded, so that the same fault has the same reason at every reading. */
export type ClockReason =
  /** The clock was set, or the machine was halted without noticing. Negative if the clock was set back. */
  | { reason: 'ClockSet'; minutes: number }
  /** The machine was started again, and its clock is before the last trusted time. */
  | { reason: 'ClockBehind'; minutes: number }
  /** The machine was started again. Either it was off for this time, or its clock is ahead. */
  | { reason: 'ClockUnverified'; minutes: number }

export interface Judgement {
  /** Null: the clock is trusted. */
  reason: ClockReason | null
  /** The time for records and schedules, in milliseconds since 1970. */
  nowMs: number
  /** The later of the time of the machine's clock and the time that has passed at least. */
  latestMs: number
  /** The time by the last trusted time and the monotonic clock. After a start of the machine, the actual one is later. */
  expectedMs: number
}

/** @param trusted a reading at which the clock was right */
export function judge(trusted: ClockReading, reading: ClockReading): Judgement {
  const isSameBoot = trusted.bootId === reading.bootId && trusted.uptimeMs <= reading.uptimeMs
  // After a start of the machine, at least its present uptime has passed.
  const passedMs = reading.uptimeMs - (isSameBoot ? trusted.uptimeMs : 0)
  const expectedMs = trusted.wallMs + passedMs
  const reason = reasonOf(reading.wallMs - expectedMs, isSameBoot)
  const isUsable = reason === null || reason.reason === 'ClockUnverified'
  return {
    reason,
    expectedMs,
    nowMs: isUsable ? reading.wallMs : expectedMs,
    latestMs: Math.max(reading.wallMs, expectedMs),
  }
}

function reasonOf(aheadMs: number, isSameBoot: boolean): ClockReason | null {
  if (agree(aheadMs, 0)) return null
  const minutes = Math.round(aheadMs / 60_000)
  if (isSameBoot) return { reason: 'ClockSet', minutes }
  return aheadMs < 0 ? { reason: 'ClockBehind', minutes: -minutes } : { reason: 'ClockUnverified', minutes }
}
