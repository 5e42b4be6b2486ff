/** Formats a list of names for a message. */

const maxNames = 10

/** Joins names with commas. Names after the tenth are only counted: `a, b and 3 more`. */
export function listOf(names: readonly string[]): string {
  const more = names.length - maxNames
  return more > 0 ? `${names.slice(0, maxNames).join(', ')} and ${more} more` : names.join(', ')
}
