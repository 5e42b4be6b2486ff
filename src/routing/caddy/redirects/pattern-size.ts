/**
 * About how many instructions a pattern compiles to, told from its text: compiling `(?:…){1000}` to find that out
 * would take a second and 100 MiB. Knows RE2's syntax as far as it decides sizes; faults are for the compiler to name.
 */

/** Above what the compiler makes, by a factor of two at most for what people write. */
export function patternSize(pattern: string): number {
  const groups: { total: number; last: number }[] = [{ total: 0, last: 0 }]
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

/** Quoted text, an escape, a class, a repetition, the opening of a group with its flags, or one character. */
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

function append(group: { total: number; last: number }, size: number) {
  group.total += size
  group.last = size
}

/** `a{2}` is aa, `a{2,}` is aaa*, `a{2,4}` is aaa?a?. */
function repeat(group: { total: number; last: number }, token: string) {
  const [least = 0, most = least] = token
    .slice(1, -1)
    .split(',')
    .map((it) => (it === '' ? undefined : Number(it)))
  const times = token.endsWith(',}') ? least + 1 : Math.max(least, most)
  const size = group.last * times + times - Math.min(least, times)
  group.total += size - group.last
  group.last = size
}
