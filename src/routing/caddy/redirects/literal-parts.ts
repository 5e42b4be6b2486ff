/**
 * Finds the plain text in a pattern without compiling the pattern. An application may have a thousand redirects, and
 * for most of them the plain text shows that a URL does not match. If a pattern is too complex, the functions return
 * less text.
 */

const plain = String.raw`(?:[\w/:%=&~,@-]|\\[^\w])`
const plainRun = new RegExp(`^${plain}*`)
const lastPlain = new RegExp(`${plain}$`)

/** Removes the backslashes before punctuation. */
export const unescaped = (text: string): string => text.replace(/\\(\W)/g, '$1')

/**
 * Returns a list of texts. Every URL that matches the pattern begins with one of these texts. Returns `['']` if the
 * pattern is not anchored at the beginning or is too complex.
 */
export function beginnings(regex: string): string[] {
  if (!regex.startsWith('^') || isTooComplex(regex)) return ['']
  return beginningsOf(regex.slice(1))
}

/** Whether the pattern contains alternatives, flags, named or non-capturing groups, or quoted text. */
export const isTooComplex = (regex: string): boolean => /\||\(\?|\\Q/.test(regex)

function beginningsOf(rest: string): string[] {
  const [run = ''] = plainRun.exec(rest) ?? []
  const after = rest.slice(run.length)
  const required = /^[*+?{]/.test(after) ? run.replace(lastPlain, '') : run
  if (!/^\?(?!\?)/.test(after) || required === run) return [unescaped(required)]
  // `https?` matches with and without its last character. Text after a second optional character is ignored.
  const more = after.slice(1)
  const [next = ''] = plainRun.exec(more) ?? []
  const tail = /^[*+?{]/.test(more.slice(next.length)) ? next.replace(lastPlain, '') : next
  return [required, run].map((start) => unescaped(start + tail))
}

/**
 * Returns the plain text before a final group `(.*)` or `(.+)`. Returns null if the pattern does not end with such a
 * group or is too complex.
 */
export function beforeRest(regex: string): string | null {
  const [, lead] = /^([\s\S]*)\(\.[*+]\)\$?$/.exec(regex) ?? []
  if (lead === undefined || isTooComplex(regex)) return null
  const [run = ''] = new RegExp(`${plain}*$`).exec(lead) ?? []
  // The run may be part of a character class or an escape.
  return /[[\]\\{}]/.test(lead.slice(0, lead.length - run.length).slice(-1)) ? null : unescaped(run)
}

/** Returns a text with which every matching URL ends, or '' if the pattern shows none or is too complex. */
export function ending(regex: string): string {
  if (!regex.endsWith('$') || isTooComplex(regex)) return ''
  const body = regex.slice(0, -1)
  const [run = ''] = new RegExp(`${plain}*$`).exec(body) ?? []
  return /[[\]\\{}]/.test(body.slice(0, body.length - run.length).slice(-1)) ? '' : unescaped(run)
}

/**
 * Counts the opening parentheses that are not escaped. In a pattern without `(?`, each of them begins a capturing
 * group, unless it is in a character class.
 */
export const groupsIn = (regex: string): number => regex.replace(/\\[\s\S]/g, '').split('(').length - 1
