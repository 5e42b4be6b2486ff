/** Puts a new answer for the first page before the older pages. Pure. */

/**
 * @param before what was read before, the newest first
 * @param fresh the first page as it is now
 * @param isLast whether there is no older page
 */
export function mergePages<T>(
  before: readonly T[],
  fresh: readonly T[],
  isLast: boolean,
  idOf: (row: T) => string,
): T[] {
  const oldest = fresh.at(-1)
  if (isLast || oldest === undefined) return [...fresh]
  // What the first page covers and does not contain is gone, or no longer matches.
  return [...fresh, ...before.filter((row) => idOf(row) < idOf(oldest))]
}
