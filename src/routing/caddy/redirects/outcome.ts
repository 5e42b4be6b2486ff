/** Evaluates all redirects of an application for a URL, as the proxy does. Pure. */
import { canMatch } from './loops.ts'
import { locationOf, type Redirect, redirectOf } from './redirects.ts'
import type { RedirectRule } from './routes.ts'

/** What a redirect does with a URL. */
export interface RedirectTrial {
  matched: boolean
  /** The Location of the answer. Null if the redirect does not apply. */
  location: string | null
}

/** A group of the pattern and its text; '' if the group took no part in the match. */
export interface MatchedGroup {
  name: string
  text: string
}

export interface RedirectOutcome {
  /** One element for each rule, in order. */
  trials: RedirectTrial[]
  /** The position of the first rule that applies. -1: none applies. */
  winner: number
  /** The groups of the rule that applies. */
  groups: MatchedGroup[]
}

/** Evaluates the rules of one application, in the order in which the proxy tries them. */
export function redirectOutcome(rules: readonly RedirectRule[], url: string): RedirectOutcome {
  const trials = rules.map((rule) => trialOf(rule, url))
  const winner = trials.findIndex(({ location }) => location !== null)
  const redirect = winner === -1 ? null : compiled(rules[winner]!)
  return { trials, winner, groups: redirect === null ? [] : groupsOf(redirect, url) }
}

function trialOf(rule: RedirectRule, url: string): RedirectTrial {
  const redirect = canMatch(rule.regex, url) ? compiled(rule) : null
  if (redirect === null || redirect.pattern.match(url) === null) return { matched: false, location: null }
  return { matched: true, location: locationOf(redirect, url) }
}

function compiled(rule: RedirectRule): Redirect | null {
  const redirect = redirectOf(rule)
  return 'message' in redirect ? null : redirect
}

function groupsOf({ pattern }: Redirect, url: string): MatchedGroup[] {
  const group = pattern.match(url)!
  const numbers = Array.from({ length: pattern.groupCount + 1 }, (_, i) => String(i))
  return [...numbers, ...pattern.groupNames].map((name) => ({ name, text: group(name) }))
}
