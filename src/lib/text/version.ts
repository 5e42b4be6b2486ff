/** Versions as numbers with dots, of which a shorter one stands for all that begin with it: 8 for 8.0 and 8.4. Pure. */

/** Below 0 where `a` is older than `b`, 0 where they are the same as far as both say. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number)) as [number[], number[]]
  const at = left.findIndex((part, index) => index < right.length && part !== right[index])
  return at < 0 ? 0 : left[at]! - right[at]!
}

export const isSameVersion = (a: string, b: string) => compareVersions(a, b) === 0
