/** What a redirect does with a URL, told here exactly as the proxy does it. */
import { type Replacement, replacementOf } from './replacement.ts'
import { type UrlPattern, urlPattern } from './url-pattern.ts'

export interface RedirectText {
  regex: string
  replacement: string
}
export interface Redirect {
  pattern: UrlPattern
  replacement: Replacement
}
export interface RedirectFault {
  path: 'regex' | 'replacement'
  message: string
}

/** A redirect ready to be evaluated, or what is wrong and in which of the two fields. */
export function redirectOf({ regex, replacement }: RedirectText): Redirect | RedirectFault {
  const pattern = urlPattern(regex)
  if ('fault' in pattern) return { path: 'regex', message: pattern.fault }
  const parts = replacementOf(replacement, pattern)
  return 'fault' in parts ? { path: 'replacement', message: parts.fault } : { pattern, replacement: parts }
}

/** Where a redirect sends this URL, as it is written in the header; null where it does not match or changes nothing. */
export function locationOf({ pattern, replacement }: Redirect, url: string): string | null {
  const group = pattern.match(url)
  if (group === null) return null
  const location = replacement.map((it) => ('text' in it ? it.text : group(it.group))).join('')
  return location === url || originOf(url) + location === url ? null : location
}

const originOf = (url: string): string => /^[a-z]+:\/\/[^/?#]*/i.exec(url)?.[0] ?? ''

/** A text without groups; null where what it says depends on the URL. */
export function literalOf(replacement: Replacement): string | null {
  return replacement.every((it) => 'text' in it) ? replacement.map(({ text }) => text).join('') : null
}
