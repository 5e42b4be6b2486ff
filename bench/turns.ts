/** Who of two goes first. */

/**
 * Both, one after the other: at even numbers `one` goes first, at odd ones `other`, for the second has the machine as
 * the first has left it.
 */
export async function inTurn<A, B>(at: number, one: () => Promise<A>, other: () => Promise<B>): Promise<[A, B]> {
  if (at % 2 === 0) {
    const first = await one()
    return [first, await other()]
  }
  const first = await other()
  return [await one(), first]
}
