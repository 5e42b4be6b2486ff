/** Finds the name that a person may have meant. Pure. */

/** The known name with the smallest edit distance, if the distance is small for the length of the name; else null. */
export function nearestOf(name: string, known: readonly string[]): string | null {
  const wanted = name.toLowerCase()
  const [nearest] = known
    .map((each) => ({ each, distance: editDistance(wanted, each.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.max(1, wanted.length / 3))
    .sort((a, b) => a.distance - b.distance)
  return nearest?.each ?? null
}

/** Levenshtein's distance, row by row. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++) {
      next.push(Math.min(row[j]! + (a[i] === b[j] ? 0 : 1), row[j + 1]! + 1, next[j]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
