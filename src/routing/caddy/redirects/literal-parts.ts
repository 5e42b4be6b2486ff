/**
 * What of a pattern is plain text, as far as a look at its text tells. Enough to see of most patterns that a URL does
 * not match, without compiling them: a rule set has a thousand. In doubt it says less.
 */

const plain = String.raw`(?:[\w/:%=&~,@-]|\\[^\w])`
const plainRun = new RegExp(`^${plain}*`)
const lastPlain = new RegExp(`${plain}$`)

export const unescaped = (text: string): string => text.replace(/\\(\W)/g, '$1')

/** Texts of which every match begins with one, itself the beginning of the URL; one of them may be empty. */
export function beginnings(regex: string): string[] {
  if (!regex.startsWith('^') || isBranched(regex)) return ['']
  return beginningsOf(regex.slice(1))
}

const isBranched = (regex: string): boolean => /\||\(\?|\\Q/.test(regex)

function beginningsOf(rest: string): string[] {
  const [run = ''] = plainRun.exec(rest) ?? []
  const after = rest.slice(run.length)
  const sure = /^[*+?{]/.test(after) ? run.replace(lastPlain, '') : run
  if (!/^\?(?!\?)/.test(after) || sure === run) return [unescaped(sure)]
  // `https?` is with and without the last character; what follows another such is not looked at.
  const more = after.slice(1)
  const [next = ''] = plainRun.exec(more) ?? []
  const tail = /^[*+?{]/.test(more.slice(next.length)) ? next.replace(lastPlain, '') : next
  return [sure, run].map((it) => unescaped(it + tail))
}

/** The plain text right before a last group that takes the rest of the URL; null where the pattern ends otherwise. */
export function beforeRest(regex: string): string | null {
  const [, lead] = /^([\s\S]*)\(\.[*+]\)\$?$/.exec(regex) ?? []
  if (lead === undefined || isBranched(regex)) return null
  const [run = ''] = new RegExp(`${plain}*$`).exec(lead) ?? []
  // A class or a backslash may hold what looks plain from behind.
  return /[[\]\\{}]/.test(lead.slice(0, lead.length - run.length).slice(-1)) ? null : unescaped(run)
}

/** What every match, and the URL with it, ends with; empty where a look at the text does not tell. */
export function ending(regex: string): string {
  if (!regex.endsWith('$') || isBranched(regex)) return ''
  const body = regex.slice(0, -1)
  const [run = ''] = new RegExp(`${plain}*$`).exec(body) ?? []
  return /[[\]\\{}]/.test(body.slice(0, body.length - run.length).slice(-1)) ? '' : unescaped(run)
}

export const groupsIn = (regex: string): number => regex.replace(/\\[\s\S]/g, '').split('(').length - 1
