/** Counts events for each key, to limit their number in a period. All counts are reset when the period is over. */

/**
 * Returns a function that counts one event of `key` and returns whether the event is within the limit. `nowMs` comes
 * from a clock that never goes back (performance.now).
 * @param max how many events of one key are within the limit in one period
 * @param periodMs the length of a period
 */
export function slidingCounter(max: number, periodMs: number): (key: string, nowMs: number) => boolean {
  const counts = new Map<string, number>()
  let periodStartMs = 0
  return (key, nowMs) => {
    if (nowMs - periodStartMs >= periodMs) {
      counts.clear()
      periodStartMs = nowMs
    }
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return count <= max
  }
}
