/**
 * Builds Caddy handlers for redirects. Caddy's `map` handler finds the first pattern of a list that matches the URL,
 * and expands no placeholders in its output. A list of a thousand redirects is only one Caddy module, which loads in a
 * few milliseconds.
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

/**
 * Routes that come before the routes of applications. They set variables: the requested URL, and the status of
 * permanent and of temporary redirects for the method of the request. For methods other than GET and HEAD the status is
 * 308 or 307, because clients may change such a method to GET after a 301 or 302.
 */
export const redirectVariableRoutes: Route[] = [
  { handle: [{ handler: 'vars', url: `${scheme}://{http.request.host}{http.request.uri}` }] },
  { match: [{ method: ['GET', 'HEAD'] }], handle: [{ handler: 'vars', permanent: 301, temporary: 302 }] },
  { match: [{ not: [{ method: ['GET', 'HEAD'] }] }], handle: [{ handler: 'vars', permanent: 308, temporary: 307 }] },
]

/**
 * Answers with the Location from `map`. Does nothing if no pattern matched, or if the Location is the requested URL, in
 * absolute form or as a path.
 */
export const redirectRoute: Route = {
  match: [{ not: [{ vars: { '{http.vars.go}': ['', '{http.vars.url}', '{http.request.uri}'] } }] }],
  handle: [
    {
      handler: 'map',
      source: '{http.vars.status}',
      destinations: ['{berth.status}'],
      mappings: ['permanent', 'temporary'].map((input) => ({ input, outputs: [`{http.vars.${input}}`] })),
    },
    { handler: 'static_response', status_code: '{berth.status}', headers: { Location: ['{http.vars.go}'] } },
  ],
}

/**
 * Returns the handlers for all redirects of an application, in order.
 * @param more further variables. If there are redirects, the first `vars` handler sets these variables too, because one
 * handler loads faster than two
 */
export function redirectHandlers(rules: RedirectRule[], more: Record<string, string> = {}): Handler[] {
  return segmentsOf(rules).flatMap((segment, i) => {
    const name = `berth.go.${i}`
    const haveSameStatus = segment.every(({ permanent }) => permanent === segment[0]!.permanent)
    const mappings = segment.map((rule) => ({
      input_regexp: rule.regex,
      outputs: haveSameStatus ? [templateOf(rule)] : [templateOf(rule), statusOf(rule)],
    }))
    return [
      {
        handler: 'map',
        source: '{http.vars.url}',
        mappings,
        destinations: haveSameStatus ? [`{${name}}`] : [`{${name}}`, `{${name}.status}`],
      },
      {
        handler: 'vars',
        ...(i === 0 ? more : {}),
        go: `{${name}}`,
        status: haveSameStatus ? statusOf(segment[0]!) : `{${name}.status}`,
      },
      { handler: 'invoke', name: 'redirect' },
    ]
  })
}

const statusOf = ({ permanent }: RedirectRule) => (permanent ? 'permanent' : 'temporary')

/** Returns the replacement in the syntax of Go's `Regexp.Expand`. */
const templateOf = (rule: RedirectRule): string =>
  partsOf(rule)
    .map((part) => ('text' in part ? part.text.replaceAll('$', '$$$$') : `\${${part.group}}`))
    .join('')

/**
 * Returns the parts of the replacement. Throws if the replacement is invalid. Berth checks a replacement before it is
 * stored, so an error here is a defect of Berth.
 */
function partsOf({ regex, replacement }: RedirectText): Replacement {
  const parts = replacementParts(replacement)
  if ('fault' in parts) throw new Error(`Redirect ${regex}: ${parts.fault}`)
  return parts
}

/**
 * Splits redirects into segments. Each segment becomes one `map`, in which only the first match counts. A redirect
 * whose Location may be the requested URL ends its segment, so that Caddy still tries later redirects. A pattern that
 * repeats within a segment is left out: the repetition never applies, and Caddy rejects it.
 */
function segmentsOf(rules: RedirectRule[]): RedirectRule[][] {
  const segments: RedirectRule[][] = []
  let segment = new Map<string, RedirectRule>()
  for (const rule of rules) {
    if (segment.has(rule.regex)) continue
    if (segment.size === 0) segments.push([])
    segment.set(rule.regex, rule)
    segments.at(-1)!.push(rule)
    if (canRepeatUrl(rule)) segment = new Map()
  }
  return segments
}

/** Whether the Location may be the requested URL for some request. True if this is unclear. */
export function canRepeatUrl(rule: RedirectText): boolean {
  const parts = partsOf(rule)
  const target = literalOf(parts)
  const head = target ?? (parts[0] !== undefined && 'text' in parts[0] ? parts[0].text : '')
  const canBegin = beginnings(rule.regex).some((start) => {
    const origin = head.startsWith('/') ? /^https?:\/\/[^/]+(?=\/)/.exec(start)?.[0] : ''
    const compared = origin === undefined ? '' : start.slice(origin.length)
    return head.startsWith(compared) || (target === null && compared.startsWith(head))
  })
  if (!canBegin) return false
  return target === null
    ? !isDifferentBeforeRest(rule.regex, parts)
    : target.startsWith('/') || matches(rule.regex, target)
}

/** Whether pattern and replacement end with the same last part of the URL, but have different text before that part. */
function isDifferentBeforeRest(regex: string, parts: Replacement): boolean {
  const [before, last] = parts.slice(-2)
  const textBefore = beforeRest(regex)
  if (textBefore === null || before === undefined || last === undefined) return false
  if (!('text' in before) || !('group' in last) || last.group !== String(groupsIn(regex))) return false
  return !textBefore.endsWith(before.text) && !before.text.endsWith(textBefore)
}

function matches(regex: string, url: string): boolean {
  if (!url.endsWith(ending(regex))) return false
  const pattern = urlPattern(regex)
  return 'fault' in pattern || pattern.match(url) !== null
}
