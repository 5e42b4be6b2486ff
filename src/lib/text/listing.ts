/** Lists of names as they go into a sentence. */

/** So many are named; of more, how many more. */
const maxNames = 10

export function listOf(names: readonly string[]): string {
  const more = names.length - maxNames
  return more > 0 ? `${names.slice(0, maxNames).join(', ')} and ${more} more` : names.join(', ')
}
