/** Alternates two measurements. */

/**
 * Runs both functions, one after the other. At even `at`, `one` runs first, at odd `at`, `other` runs first: the first run
 * can influence the second, for example by writes to the disk that are still in progress.
 */
export async function alternate<A, B>(at: number, one: () => Promise<A>, other: () => Promise<B>): Promise<[A, B]> {
  if (at % 2 === 0) {
    const first = await one()
    return [first, await other()]
  }
  const first = await other()
  return [await one(), first]
}
