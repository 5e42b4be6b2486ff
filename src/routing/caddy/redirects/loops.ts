/**
 * Redirects that lead nowhere. Only what is certain counts: each is shown by a URL that the application answers, and
 * that a client follows in vain. Loops over other applications and by rare URLs are for clients to end.
 */
import { hostMatches } from '../hosts.ts'
import { unescaped } from './literal-parts.ts'
import { locationOf, type Redirect, type RedirectText, redirectOf } from './redirects.ts'

export interface Rule<T> extends RedirectText {
  id: T
}

export interface Loop<T> {
  /** In the order in which a client meets them. */
  rules: T[]
  /** Where it begins. */
  url: string
}

export interface LoopSearch<T> {
  /** All rules of the application in order, with the new or changed one among them. */
  rules: Rule<T>[]
  id: T
  /** The names of the application; none known: every name counts as its own. */
  hosts: string[]
}

/** After so many browsers give up, and so does the search. */
const maxHops = 20

/** A loop that goes through one rule; null where there is none. A rule that only ever leads to itself is one. */
export function loopOf<T>({ rules, id, hosts }: LoopSearch<T>): Loop<T> | null {
  const own = rules.find((it) => it.id === id)
  const redirect = own === undefined ? null : readyOf(own)
  if (own === undefined || redirect === null) return null
  const host = hosts[0]?.replace('*', 'www') ?? /:\/\/([a-z0-9.-]+)\//i.exec(unescaped(own.regex))?.[1] ?? 'example.org'
  const samples = samplesOf(own.regex, host).filter((url) => redirect.pattern.match(url) !== null)
  const isIdle = samples.length > (isOneUrl(own) ? 0 : 1) && samples.every((url) => locationOf(redirect, url) === null)
  if (isIdle) return { rules: [id], url: samples[0]! }
  for (const url of samples) {
    const found = loopFrom(rules, url, hosts)
    if (found?.rules.includes(id)) return found
  }
  return null
}

/** From end to end, and to a place that does not depend on the URL. */
const isOneUrl = ({ regex, replacement }: RedirectText): boolean =>
  regex.startsWith('^') && regex.endsWith('$') && !replacement.includes('$')

const readyOf = (rule: RedirectText): Redirect | null => {
  const redirect = redirectOf(rule)
  return 'message' in redirect ? null : redirect
}

/** URLs that a pattern may match: plain ones, and the pattern itself with its freedoms filled in. */
function samplesOf(regex: string, host: string): string[] {
  const filled = unescaped(
    regex
      .replace(/\((?:\?P?<\w+>|\?:)?/g, '')
      .replace(/\\d/g, '1')
      .replace(/\\w/g, 'a')
      .replace(/\[[^\]]*\]|(?<!\\)\./g, 'a')
      .replace(/(?<!\\)[)^$*+]|\{[\d,]+\}|.(?<!\\.)\?/g, ''),
  )
  const rest = filled.startsWith('/') ? `https://${host}${filled}` : `https://${host}/${filled}`
  const own = /^https?:\/\//.test(filled) ? filled : rest
  return [...new Set([`https://${host}/`, `http://${host}/`, `https://${host}/some/path?some=query`, own])].map((url) =>
    resolved(url, url),
  )
}

function loopFrom<T>(rules: Rule<T>[], start: string, hosts: string[]): Loop<T> | null {
  const seen: { url: string; id: T }[] = []
  let url = start
  while (seen.length < maxHops) {
    const hop = firstHop(rules, url)
    if (hop === null) return null
    seen.push({ url, id: hop.id })
    url = resolved(hop.location, url)
    const host = URL.parse(url)?.hostname ?? ''
    if (hosts.length > 0 && !hosts.some((it) => hostMatches(it, host))) return null
    const from = seen.findIndex((it) => it.url === url)
    if (from !== -1) return { url, rules: [...new Set(seen.slice(from).map(({ id }) => id))] }
  }
  return { url: start, rules: [...new Set(seen.map(({ id }) => id))] }
}

function firstHop<T>(rules: Rule<T>[], url: string): { id: T; location: string } | null {
  for (const rule of rules) {
    if (!mayBegin(rule.regex, url)) continue
    const redirect = readyOf(rule)
    const location = redirect === null ? null : locationOf(redirect, url)
    if (location !== null) return { id: rule.id, location }
  }
  return null
}

/** By a look at its text, which takes a hundredth of compiling it: whether a match of the URL can begin so. */
function mayBegin(regex: string, url: string): boolean {
  if (!regex.startsWith('^') || /\||\(\?|\\Q/.test(regex)) return true
  const text = regex.slice(1).replace(/^https\?/, url.startsWith('https:') ? 'https' : 'http')
  const token = /\\\W|[\w/:%=&~,@ .-]/y
  for (const char of url) {
    const [own] = token.exec(text) ?? []
    if (own === undefined || /[*+?{]/.test(text[token.lastIndex] ?? '')) return true
    if (own !== '.' && own.at(-1) !== char) return false
  }
  return true
}

/** What the client asks for next, and the proxy sees: without port and fragment, percent-encoded as clients do. */
function resolved(location: string, from: string): string {
  const url = URL.parse(location, from)
  return url === null ? location : `${url.protocol}//${url.hostname}${url.pathname}${url.search}`
}
