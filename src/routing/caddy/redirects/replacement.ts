/**
 * Parses the replacement of a redirect. In this text `$1`, `${1}` or `${name}` stand for captured groups, `$0` for the
 * whole match and `$$` for a dollar. Any other `$` is an error. Every other character stands for itself, including
 * braces.
 */
import type { UrlPattern } from './url-pattern.ts'

export type Replacement = ({ text: string } | { group: string })[]

const noGroup = 'is not a group: write $1, ${1} or ${name}, and $$ for a dollar'
const maxReplacementLength = 2_000
const part = /\$(?:(?<dollar>\$)|(?<number>\d+)|\{(?<name>\w+)\}|(?<rest>\{[^}]*\}?|.?))|[^$]+/gu

/** Parses a replacement, and checks that the pattern has the groups in it. Returns the parts, or an error message. */
export function replacementOf(text: string, pattern: UrlPattern): Replacement | { fault: string } {
  const parts = replacementParts(text)
  if ('fault' in parts) return parts
  const fault = parts.map((it) => ('text' in it ? null : groupFault(it.group, pattern))).find((it) => it !== null)
  return fault === undefined ? parts : { fault }
}

/** Parses a text without checking the groups. Use this for a text that `replacementOf` has checked before. */
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

/**
 * Refuses an empty text, a text that is too long, characters that a Location header cannot contain, and backslashes,
 * which not all clients interpret in the same way.
 */
function faultOf(text: string): string | null {
  if (text === '') return 'must not be empty. Write the target URL or path'
  if (text.length > maxReplacementLength) return `must have at most ${maxReplacementLength} characters`
  if (text.includes('\\')) return 'must not contain a backslash. Write / or %5C, and $$ for a dollar'
  const odd = /[^\x21-\x7e]/u.exec(text)
  return odd === null
    ? null
    : `must contain only printable ASCII characters: write ${encodeURIComponent(odd[0].toWellFormed())} for ` +
        JSON.stringify(odd[0])
}

function groupFault(group: string, { groupCount, groupNames }: UrlPattern): string | null {
  if (/^\d+$/.test(group) ? Number(group) <= groupCount : groupNames.includes(group)) return null
  const names = [...Array.from({ length: groupCount }, (_, i) => `$${i + 1}`), ...groupNames.map((it) => `\${${it}}`)]
  const longer = /^\d{2,}$/.test(group) ? `; for a digit after a group write \${${group[0]}}${group.slice(1)}` : ''
  return (
    `The pattern has no group ${group}${longer}. ` +
    (names.length === 0
      ? 'The pattern has no groups: put parentheses around the part of the URL to use in the replacement'
      : `The groups are ${names.join(', ')}`)
  )
}

/** Requires an absolute URL or a path. A replacement that begins with a group is not checked. */
function leadFault([first]: Replacement): { fault: string } | null {
  if (first === undefined || 'group' in first || /^(?:https?:\/\/|\/(?!\/))/i.test(first.text)) return null
  return { fault: 'must begin with https://, http://, a single / or a group like $1' }
}
