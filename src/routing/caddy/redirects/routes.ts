/**
 * Redirects as handlers of Caddy's. Its `map` looks a URL up in a list of patterns: nothing is expanded in what it
 * finds, neither the caller's text nor the client's, and a thousand rules are one module, loaded in a few milliseconds.
 */
import type { Handler, Route } from '../caddy.ts'
import { beforeRest, beginnings, ending, groupsIn } from './literal-parts.ts'
import { scheme } from './placeholders.ts'
import { literalOf, type RedirectText } from './redirects.ts'
import { type Replacement, replacementParts } from './replacement.ts'
import { urlPattern } from './url-pattern.ts'

export interface RedirectRule extends RedirectText {
  permanent: boolean
}

/** Before the first application: the URL, and the status by method, for only GET and HEAD may be repeated as GET. */
export const forRedirects: Route[] = [
  { handle: [{ handler: 'vars', url: `${scheme}://{http.request.host}{http.request.uri}` }] },
  { match: [{ method: ['GET', 'HEAD'] }], handle: [{ handler: 'vars', permanent: 301, temporary: 302 }] },
  { match: [{ not: [{ method: ['GET', 'HEAD'] }] }], handle: [{ handler: 'vars', permanent: 308, temporary: 307 }] },
]

/** Sends what `map` found, but not the URL that was asked for, absolute or as a path. */
export const redirectRoute: Route = {
  match: [{ not: [{ vars: { '{http.vars.go}': ['', '{http.vars.url}', '{http.request.uri}'] } }] }],
  handle: [
    {
      handler: 'map',
      source: '{http.vars.status}',
      destinations: ['{berth.status}'],
      mappings: ['permanent', 'temporary'].map((it) => ({ input: it, outputs: [`{http.vars.${it}}`] })),
    },
    { handler: 'static_response', status_code: '{berth.status}', headers: { Location: ['{http.vars.go}'] } },
  ],
}

/** All redirects of an application, in order; `more` is set beside, for one handler is loaded faster than two. */
export function redirectHandlers(rules: RedirectRule[], more: Record<string, string> = {}): Handler[] {
  return segmentsOf(rules).flatMap((segment, i) => {
    const name = `berth.go.${i}`
    const isAlike = segment.every(({ permanent }) => permanent === segment[0]!.permanent)
    const mappings = segment.map((rule) => ({
      input_regexp: rule.regex,
      outputs: isAlike ? [templateOf(rule)] : [templateOf(rule), statusOf(rule)],
    }))
    return [
      {
        handler: 'map',
        source: '{http.vars.url}',
        mappings,
        destinations: isAlike ? [`{${name}}`] : [`{${name}}`, `{${name}.status}`],
      },
      {
        handler: 'vars',
        ...(i === 0 ? more : {}),
        go: `{${name}}`,
        status: isAlike ? statusOf(segment[0]!) : `{${name}.status}`,
      },
      { handler: 'invoke', name: 'redirect' },
    ]
  })
}

const statusOf = ({ permanent }: RedirectRule) => (permanent ? 'permanent' : 'temporary')

/** In the words of Go's `Regexp.Expand`. */
const templateOf = (rule: RedirectRule): string =>
  partsOf(rule)
    .map((it) => ('text' in it ? it.text.replaceAll('$', '$$$$') : `\${${it.group}}`))
    .join('')

/** A rule that cannot be read is a defect of whoever stored it; a proxy without it would be one more. */
function partsOf({ regex, replacement }: RedirectText): Replacement {
  const parts = replacementParts(replacement)
  if ('fault' in parts) throw new Error(`Redirect ${regex}: ${parts.fault}`)
  return parts
}

/**
 * Within a segment the first match decides. A rule whose Location may be the URL itself ends one, so that the next
 * rule gets its turn then. A pattern that is there already never does, and Caddy refuses it.
 */
function segmentsOf(rules: RedirectRule[]): RedirectRule[][] {
  const segments: RedirectRule[][] = []
  let segment = new Map<string, RedirectRule>()
  for (const rule of rules) {
    if (segment.has(rule.regex)) continue
    if (segment.size === 0) segments.push([])
    segment.set(rule.regex, rule)
    segments.at(-1)!.push(rule)
    if (mayRepeat(rule)) segment = new Map()
  }
  return segments
}

/** Whether the Location may be the URL that was asked for; in doubt it may. */
export function mayRepeat(rule: RedirectText): boolean {
  const parts = partsOf(rule)
  const target = literalOf(parts)
  const head = target ?? (parts[0] !== undefined && 'text' in parts[0] ? parts[0].text : '')
  const meets = beginnings(rule.regex).some((start) => {
    const own = head.startsWith('/') ? /^https?:\/\/[^/]+(?=\/)/.exec(start)?.[0] : ''
    const path = own === undefined ? '' : start.slice(own.length)
    return head.startsWith(path) || (target === null && path.startsWith(head))
  })
  if (!meets) return false
  return target === null ? !endsOnRemoteNode(rule.regex, parts) : target.startsWith('/') || matches(rule.regex, target)
}

/** Both end with the same rest of the URL, and what stands before it is not the same. */
function endsOnRemoteNode(regex: string, parts: Replacement): boolean {
  const [before, last] = parts.slice(-2)
  const own = beforeRest(regex)
  if (own === null || before === undefined || last === undefined) return false
  if (!('text' in before) || !('group' in last) || last.group !== String(groupsIn(regex))) return false
  return !own.endsWith(before.text) && !before.text.endsWith(own)
}

function matches(regex: string, url: string): boolean {
  if (!url.endsWith(ending(regex))) return false
  const pattern = urlPattern(regex)
  return 'fault' in pattern || pattern.match(url) !== null
}
