/** Compiles redirects, and evaluates a redirect for a URL exactly as the proxy does. */
import { type Replacement, replacementOf } from './replacement.ts'
import { type UrlPattern, urlPattern } from './url-pattern.ts'

/** A redirect as in the request. */
export interface RedirectText {
  regex: string
  replacement: string
}
/** A compiled redirect. */
export interface Redirect {
  pattern: UrlPattern
  replacement: Replacement
}
export interface RedirectFault {
  path: 'regex' | 'replacement'
  message: string
}

/** Compiles a redirect. Returns a fault if one of the two fields is invalid. */
export function redirectOf({ regex, replacement }: RedirectText): Redirect | RedirectFault {
  const pattern = urlPattern(regex)
  if ('fault' in pattern) return { path: 'regex', message: pattern.fault }
  const parts = replacementOf(replacement, pattern)
  return 'fault' in parts ? { path: 'replacement', message: parts.fault } : { pattern, replacement: parts }
}

/**
 * Returns the Location header for a URL. Returns null if the pattern does not match, if the target is the URL itself, or
 * if the target is empty.
 */
export function locationOf({ pattern, replacement }: Redirect, url: string): string | null {
  const group = pattern.match(url)
  if (group === null) return null
  const location = replacement.map((it) => ('text' in it ? it.text : group(it.group))).join('')
  return location === '' || location === url || originOf(url) + location === url ? null : location
}

const originOf = (url: string): string => /^[a-z]+:\/\/[^/?#]*/i.exec(url)?.[0] ?? ''

/** Returns the text of a replacement, or null if the replacement contains groups. */
export function literalOf(replacement: Replacement): string | null {
  return replacement.every((it) => 'text' in it) ? replacement.map(({ text }) => text).join('') : null
}
