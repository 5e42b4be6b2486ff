/** The verdict on a run from the attempts of its files (pure). */

/** A comparison of data that failed. Such a failure is never repeated: lost data is no accident. */
const DATA_DIFFERS = 'ERR_DATA_DIFFERS'
const MAX_UNSTABLE = 2

export interface Verdict {
  /** Files that failed at their first attempt and passed at their second. */
  unstable: string[]
  /** Files that failed and have no attempt left. */
  failed: string[]
}

/** The run has failed, whatever the files do that have not run yet. */
export const isLost = ({ unstable, failed }: Verdict): boolean => failed.length > 0 || unstable.length > MAX_UNSTABLE

/** Sentences for the end of the report: one for each file, and one if there are too many unstable files. */
export function remarks({ unstable, failed }: Verdict): string[] {
  const remark = unstable
    .toSorted()
    .map((file) => `unstable: ${file} failed at its first attempt and passed at its second`)
  if (unstable.length > MAX_UNSTABLE) {
    remark.push(`the run fails because ${unstable.length} files are unstable; ${MAX_UNSTABLE} are allowed`)
  }
  return [...remark, ...failed.toSorted().map((file) => `failed: ${file}`)]
}

/** @param error an error of a test as the runner reports it, with its causes */
export function isDataDifference(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && cause.code === DATA_DIFFERS) return true
    if (cause instanceof AggregateError && cause.errors.some(isDataDifference)) return true
  }
  return false
}
