/** Counts what each does in a stretch of time, to keep it within a number. Forgets all when the stretch is over. */

/** Says whether this one is still among the first `most` of its key. `nowMs` never goes back (performance.now). */
export function tally(most: number, stretchMs: number): (key: string, nowMs: number) => boolean {
  const counts = new Map<string, number>()
  let beganMs = 0
  return (key, nowMs) => {
    if (nowMs - beganMs >= stretchMs) {
      counts.clear()
      beganMs = nowMs
    }
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return count <= most
  }
}
