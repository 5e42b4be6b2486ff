/** Finds the names that a misspelt name may stand for. Pure. */

/**
 * The names that are nearest to `name`, at most three: those with a small edit distance for their length, and those
 * that contain it.
 */
export function nearest(name: string, names: readonly string[]): string[] {
  if (name === '') return []
  const wanted = name.toLowerCase()
  return names
    .map((each) => ({ each, distance: distanceOf(wanted, each.toLowerCase()) }))
    .filter(({ each, distance }) => distance <= Math.max(1, wanted.length / 3) || each.toLowerCase().includes(wanted))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ each }) => each)
}

/** The number of characters to insert, delete or replace. Source: Wagner and Fischer, 1974. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, replaced))
    }
    row = next
  }
  return row[b.length]!
}
