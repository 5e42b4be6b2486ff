/**
 * What a redirect sends the client to: a text with `$1`, `${1}` or `${name}` for what the pattern's groups captured,
 * `$0` for all that it matched and `$$` for a dollar. Every other character stands for itself, braces too.
 */
import type { UrlPattern } from './url-pattern.ts'

export type Replacement = ({ text: string } | { group: string })[]

const noGroup = 'is no group: write $1, ${1} or ${name}, and $$ for a dollar'
const maxReplacementLength = 2_000
const part = /\$(?:(?<dollar>\$)|(?<number>\d+)|\{(?<name>\w+)\}|(?<rest>\{[^}]*\}?|.?))|[^$]+/gu

/** The parts of a text for a pattern, or what is wrong with it in words. */
export function replacementOf(text: string, pattern: UrlPattern): Replacement | { fault: string } {
  const parts = replacementParts(text)
  if ('fault' in parts) return parts
  const fault = parts.map((it) => ('text' in it ? null : groupFault(it.group, pattern))).find((it) => it !== null)
  return fault === undefined ? parts : { fault }
}

/** The parts of a text whose groups were seen to be there. */
export function replacementParts(text: string): Replacement | { fault: string } {
  const wrong = faultOf(text)
  if (wrong !== null) return { fault: wrong }
  const parts: Replacement = []
  for (const { 0: all, groups = {} } of text.matchAll(part)) {
    const group = groups.number ?? groups.name
    if (groups.rest !== undefined) return { fault: `${all} ${noGroup}` }
    if (group !== undefined) parts.push({ group: /^\d+$/.test(group) ? String(Number(group)) : group })
    else appendText(parts, groups.dollar ?? all)
  }
  return leadFault(parts) ?? parts
}

function appendText(parts: Replacement, text: string) {
  const last = parts.at(-1)
  if (last !== undefined && 'text' in last) last.text += text
  else parts.push({ text })
}

/** Only what a Location header can carry, and what no client reads in ways of its own. */
function faultOf(text: string): string | null {
  if (text === '') return 'It may not be empty: a redirect leads somewhere'
  if (text.length > maxReplacementLength) return `It has at most ${maxReplacementLength} characters`
  if (text.includes('\\')) return 'A backslash is not part of a URL: write / or %5C; a dollar is $$'
  const odd = /[^\x21-\x7e]/u.exec(text)
  return odd === null
    ? null
    : `A Location has printable ASCII characters only: write ${encodeURIComponent(odd[0].toWellFormed())} for ` +
        JSON.stringify(odd[0])
}

function groupFault(group: string, { groupCount, groupNames }: UrlPattern): string | null {
  if (/^\d+$/.test(group) ? Number(group) <= groupCount : groupNames.includes(group)) return null
  const names = [...Array.from({ length: groupCount }, (_, i) => `$${i + 1}`), ...groupNames.map((it) => `\${${it}}`)]
  const longer = /^\d{2,}$/.test(group) ? `; for a digit after a group write \${${group[0]}}${group.slice(1)}` : ''
  return (
    `The pattern has no group ${group}${longer}. ` +
    (names.length === 0 ? 'It has none: put what is to be kept in parentheses' : `It has ${names.join(', ')}`)
  )
}

/** Absolute or a path of the same host; what a group begins is for the group to say. */
function leadFault([first]: Replacement): { fault: string } | null {
  if (first === undefined || 'group' in first || /^(?:https?:\/\/|\/(?!\/))/i.test(first.text)) return null
  return { fault: 'It has to begin with https://, http://, a single / or a group: $1' }
}
