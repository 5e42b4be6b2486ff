/** Finds the names that a misspelt name may stand for. Pure. */

/** The names with a small edit distance for their length, and those that contain `name`; at most three. */
export function nearest(name: string, names: readonly string[]): string[] {
  const wanted = name.toLowerCase()
  return names
    .map((each) => ({ each, distance: editDistance(wanted, each.toLowerCase()) }))
    .filter(({ each, distance }) => distance <= Math.max(1, wanted.length / 3) || each.toLowerCase().includes(wanted))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ each }) => each)
}

/** `Did you mean shop or shops?`, or an empty text. */
export function suggestion(name: string, names: readonly string[]): string {
  const near = nearest(name, names)
  return near.length === 0 ? '' : `Did you mean ${near.join(' or ')}?`
}

/**
 * The number of characters to insert, delete, replace or exchange with the next one.
 * Source: optimal string alignment distance, after Damerau, 1964.
 */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isExchange = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const exchanged = isExchange ? rows[i - 2]![j - 2]! + 1 : replaced
      row.push(Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, replaced, exchanged))
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}
