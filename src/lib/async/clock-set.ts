/** Notices that the clock of the machine was set: it goes otherwise than time does. */

/** Less is a clock that is kept in step, little by little. */
const leastMs = 5000

export interface ClockSet {
  /** By how many milliseconds, below 0 where back, since it was last accepted; 0 where it was not set. */
  byMs(): number
  accept(byMs: number): void
}

/** A machine that slept has its clock set forward. `steadyMs` never jumps. */
export function clockSet(nowMs: () => number = Date.now, steadyMs: () => number = () => performance.now()): ClockSet {
  let apartMs = nowMs() - steadyMs()
  return {
    byMs() {
      const by = Math.round(nowMs() - steadyMs() - apartMs)
      return Math.abs(by) < leastMs ? 0 : by
    },
    accept: (byMs) => {
      apartMs += byMs
    },
  }
}
