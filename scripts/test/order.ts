/** The order in which files start (pure). Whatever takes longest starts first: at the end it would run alone. */
import { groupOf } from './files.ts'

/**
 * Files without a duration are new, or nothing was measured on this machine yet. They start first, with the members of
 * groups before the others, because members wait for each other.
 * @param durations the last duration of each file, in seconds
 */
export function inOrder(files: string[], durations: ReadonlyMap<string, number>): string[] {
  const secondsOf = (file: string) => durations.get(file) ?? Number.POSITIVE_INFINITY
  const byDuration = [...files].sort((a, b) => descending(secondsOf(a), secondsOf(b)) || (a < b ? -1 : 1))
  const waiting = new Map<number, number>()
  const weights = new Map<string, number>()
  // The members of a group run one after another, so a member delays the end by its own duration and by those behind it.
  for (const file of byDuration.toReversed()) {
    const group = groupOf(file)
    const weight = secondsOf(file) + (group < 0 ? 0 : (waiting.get(group) ?? 0))
    if (group >= 0) waiting.set(group, weight)
    weights.set(file, weight)
  }
  const isAlone = (file: string) => Number(groupOf(file) < 0)
  return byDuration.sort((a, b) => descending(weights.get(a)!, weights.get(b)!) || isAlone(a) - isAlone(b))
}

/** Subtraction does not order infinite numbers: their difference is NaN. */
const descending = (a: number, b: number): number => (a === b ? 0 : b - a)

/** The waiting file that starts next, or undefined if none may start beside the running ones. */
export function nextFile(waiting: string[], running: Iterable<string>): string | undefined {
  const groups = new Set([...running].map(groupOf))
  return waiting.find((file) => groupOf(file) < 0 || !groups.has(groupOf(file)))
}
