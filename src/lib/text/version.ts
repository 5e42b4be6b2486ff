/**
 * Compares versions, which are numbers with dots. A short version matches all that begin with it: 8 matches 8.4. Pure.
 */

/** Returns a negative number if `a` is older than `b`, and 0 if they agree in all parts that both have. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number)) as [number[], number[]]
  const at = left.findIndex((part, index) => index < right.length && part !== right[index])
  return at < 0 ? 0 : left[at]! - right[at]!
}

export const isSameVersion = (a: string, b: string) => compareVersions(a, b) === 0
