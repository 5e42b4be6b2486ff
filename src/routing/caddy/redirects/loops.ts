/**
 * Finds redirects that form a loop. The search tries some example URLs. For the URL of a reported loop, the redirects
 * return to an earlier URL or do not end within 20 steps. Loops through other applications, and loops that only rare
 * URLs cause, are not detected.
 */
import { hostMatches } from '../hosts.ts'
import { isTooComplex, unescaped } from './literal-parts.ts'
import { locationOf, type Redirect, type RedirectText, redirectOf } from './redirects.ts'

/** A redirect with an id. */
export interface Rule<T> extends RedirectText {
  id: T
}

export interface Loop<T> {
  /** The ids of the redirects in the order in which a client follows them. */
  rules: T[]
  /** A URL at which the loop begins. */
  url: string
}

export interface LoopSearch<T> {
  /** All redirects of the application in order, including the new or changed one. */
  rules: Rule<T>[]
  /** The new or changed redirect. */
  id: T
  /** The host names of the application. If empty, every host name counts as the application's. */
  hosts: string[]
}

/** This many redirects in succession count as a loop. Browsers have a similar limit. */
const maxHops = 20

/**
 * Returns a loop through the redirect `id`, or null. A redirect whose target is always the requested URL is a loop too.
 */
export function loopOf<T>({ rules, id, hosts }: LoopSearch<T>): Loop<T> | null {
  const rule = rules.find((candidate) => candidate.id === id)
  const redirect = rule === undefined ? null : compiled(rule)
  if (rule === undefined || redirect === null) return null
  const host =
    hosts[0]?.replace('*', 'www') ?? /:\/\/([a-z0-9.-]+)\//i.exec(unescaped(rule.regex))?.[1] ?? 'example.org'
  const samples = samplesOf(rule.regex, host).filter((url) => redirect.pattern.match(url) !== null)
  // If the pattern can match several URLs, one sample is not enough: it could be the only URL that is its own target.
  const isEnough = samples.length > (isOneUrl(rule) ? 0 : 1)
  if (isEnough && samples.every((url) => locationOf(redirect, url) === null)) return { rules: [id], url: samples[0]! }
  for (const url of samples) {
    const loop = loopFrom(rules, url, hosts)
    if (loop?.rules.includes(id)) return loop
  }
  return null
}

/** Whether the pattern is anchored at both ends and the replacement contains no groups. */
const isOneUrl = ({ regex, replacement }: RedirectText): boolean =>
  regex.startsWith('^') && regex.endsWith('$') && !replacement.includes('$')

const compiled = (rule: RedirectText): Redirect | null => {
  const redirect = redirectOf(rule)
  return 'message' in redirect ? null : redirect
}

/**
 * Returns URLs that a pattern may match: common URLs, and one URL that is built from the pattern by replacing classes
 * and repetitions.
 */
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

/** Follows the redirects from a URL. Returns the loop, or null if the redirects end or leave the application. */
function loopFrom<T>(rules: Rule<T>[], start: string, hosts: string[]): Loop<T> | null {
  const hops: { url: string; id: T }[] = []
  let url = start
  while (hops.length < maxHops) {
    const hop = firstHop(rules, url)
    if (hop === null) return null
    hops.push({ url, id: hop.id })
    url = resolved(hop.location, url)
    const host = URL.parse(url)?.hostname ?? ''
    if (hosts.length > 0 && !hosts.some((pattern) => hostMatches(pattern, host))) return null
    const from = hops.findIndex((earlier) => earlier.url === url)
    if (from !== -1) return { url, rules: [...new Set(hops.slice(from).map(({ id }) => id))] }
  }
  return { url: start, rules: [...new Set(hops.map(({ id }) => id))] }
}

/** Returns the first redirect that applies to the URL, or null. */
function firstHop<T>(rules: Rule<T>[], url: string): { id: T; location: string } | null {
  for (const rule of rules) {
    if (!canMatch(rule.regex, url)) continue
    const redirect = compiled(rule)
    const location = redirect === null ? null : locationOf(redirect, url)
    if (location !== null) return { id: rule.id, location }
  }
  return null
}

/**
 * Whether the pattern may match the URL, judged by the plain text at the beginning of the pattern. True if this is
 * unclear. The check takes a hundredth of the time of compiling the pattern.
 */
export function canMatch(regex: string, url: string): boolean {
  if (!regex.startsWith('^') || isTooComplex(regex)) return true
  const text = regex.slice(1).replace(/^https\?/, url.startsWith('https:') ? 'https' : 'http')
  const token = /\\\W|[\w/:%=&~,@ .-]/y
  for (const char of url) {
    const [own] = token.exec(text) ?? []
    if (own === undefined || /[*+?{]/.test(text[token.lastIndex] ?? '')) return true
    if (own !== '.' && own.at(-1) !== char) return false
  }
  return true
}

/** Resolves a Location as a client does. Returns the URL as the proxy sees it: without port and fragment. */
function resolved(location: string, from: string): string {
  const url = URL.parse(location, from)
  return url === null ? location : `${url.protocol}//${url.hostname}${url.pathname}${url.search}`
}
