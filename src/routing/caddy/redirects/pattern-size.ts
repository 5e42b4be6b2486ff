/**
 * Estimates from the text of a pattern how many instructions it compiles to. Compiling `(?:…){1000}` to count them
 * would take a second and 100 MiB. Parses only the RE2 syntax that affects the size. The compiler reports syntax
 * errors.
 */

/** The instructions of a group so far. */
interface Size {
  total: number
  /** The instructions of the last element, which a following repetition multiplies. */
  last: number
}

/** Returns an upper bound of the number of instructions. For common patterns it is at most twice the real number. */
export function patternSize(pattern: string): number {
  const groups: Size[] = [{ total: 0, last: 0 }]
  for (const [token] of pattern.matchAll(tokens)) {
    const group = groups.at(-1)!
    if (token.startsWith('(')) groups.push({ total: 0, last: 0 })
    else if (token === ')' && groups.length > 1) {
      groups.pop()
      append(groups.at(-1)!, group.total + 2)
    } else if (isRepeat.test(token)) repeat(group, token)
    else if (/^[*+?|]$/.test(token)) group.total += 1
    else append(group, token.startsWith('\\Q') ? token.length : 1)
  }
  return groups.reduce((sum, { total }) => sum + total, 0)
}

/** Matches quoted text, an escape, a class, a repetition, the opening of a group with its flags, or one character. */
const tokens = new RegExp(
  [
    String.raw`\\Q[^]*?(?:\\E|$)`,
    String.raw`\\[pPx]\{[^}]*\}`,
    String.raw`\\[^]`,
    String.raw`\[\^?\]?(?:\\[^]|\[:\^?\w+:\]|[^\]\\])*\]`,
    String.raw`\{\d+(?:,\d*)?\}`,
    String.raw`\((?:\?[^:)]*[:)>]?)?`,
    '[^]',
  ].join('|'),
  'gu',
)
const isRepeat = /^\{\d+(?:,\d*)?\}$/

function append(group: Size, size: number) {
  group.total += size
  group.last = size
}

/** Adds a repetition: `a{2}` compiles like `aa`, `a{2,}` like `aaa*`, `a{2,4}` like `aaa?a?`. */
function repeat(group: Size, token: string) {
  const [min = 0, max = min] = token
    .slice(1, -1)
    .split(',')
    .map((it) => (it === '' ? undefined : Number(it)))
  const times = token.endsWith(',}') ? min + 1 : Math.max(min, max)
  const size = group.last * times + times - Math.min(min, times)
  group.total += size - group.last
  group.last = size
}
