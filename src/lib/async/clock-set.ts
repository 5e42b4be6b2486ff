/** Detects that the clock of the machine was set, by comparison with a monotonic clock. */

/** A smaller difference counts as gradual adjustment of the clock, such as by NTP. */
const minChangeMs = 5000

export interface ClockSet {
  /** The milliseconds by which the clock was set since the last `accept`, negative if set back; 0 if it was not set. */
  byMs(): number
  /** Takes a change of `byMs` as known: `byMs()` does not report it again. */
  accept(byMs: number): void
}

/**
 * After the machine was suspended, the clock counts as set forward.
 * @param steadyMs a clock that never jumps
 */
export function clockSet(nowMs: () => number = Date.now, steadyMs: () => number = () => performance.now()): ClockSet {
  let offsetMs = nowMs() - steadyMs()
  return {
    byMs() {
      const by = Math.round(nowMs() - steadyMs() - offsetMs)
      return Math.abs(by) < minChangeMs ? 0 : by
    },
    accept: (byMs) => {
      offsetMs += byMs
    },
  }
}
