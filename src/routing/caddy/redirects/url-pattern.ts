/**
 * The patterns of redirects: RE2, looked for anywhere in the whole URL, as Caddy does with Go's `regexp`. re2js is a
 * translation of the same code, so what it takes Caddy takes, and what it finds Caddy finds.
 */
import { RE2JS, RE2JSException } from 're2js'
import { patternSize } from './pattern-size.ts'

const maxPatternLength = 1_000

/** A match takes time in proportion to this and to the URL's length, whatever the pattern is. */
const maxInstructions = 1_000

export interface UrlPattern {
  /** What each group captured, 0 being the whole match; null where the URL has no match. */
  match: (url: string) => ((group: string) => string) | null
  groupCount: number
  groupNames: string[]
}

/** The pattern, or what is wrong with it in words. */
export function urlPattern(text: string): UrlPattern | { fault: string } {
  const fault = faultOf(text)
  if (fault !== null) return { fault }
  try {
    return compiled(RE2JS.compile(text))
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    return { fault: explained(error.message.replace('error parsing regexp: ', '')) }
  }
}

/** What the compiler does not refuse, and what it should not be asked. */
function faultOf(text: string): string | null {
  if (text === '') return 'An empty pattern matches every URL: write .* if that is meant'
  if (text.length > maxPatternLength) return `A pattern has at most ${maxPatternLength} characters`
  if (/[\p{Cc}]/u.test(text)) return 'A URL has no control characters: leave them out'
  if (!text.isWellFormed()) return 'It is not well-formed Unicode'
  const numeric = /\(\?P?<(\d+)>/.exec(text)
  if (numeric !== null) return `The name of a group may not be a number: (?<${numeric[1]}>`
  return patternSize(text) > maxInstructions
    ? `It repeats too much: with its repetitions written out it has more than ${maxInstructions} parts`
    : null
}

function compiled(re: RE2JS): UrlPattern {
  const groupNames = Object.keys(re.namedGroups())
  return {
    groupCount: re.groupCount(),
    groupNames,
    match(url) {
      const matcher = re.matcher(url)
      if (!matcher.find()) return null
      return (group) => matcher.group(/^\d+$/.test(group) ? Number(group) : group) ?? ''
    },
  }
}

const reasons: [pattern: RegExp, reason: string][] = [
  [/`\(\?<?[=!]/, 'RE2 has no lookahead and no lookbehind'],
  [/`\(\?>/, 'RE2 has no atomic groups, and needs none: it never backtracks'],
  [/`\\(?:[1-9]|g|k)/, 'RE2 has no backreferences'],
  [/`[*+?}][+]/, 'RE2 has no possessive repetition, and needs none: it never backtracks'],
  [/`\\[zZGKRhC]/, 'RE2 does not know this escape; ^ and $ are the ends of the URL'],
  [/`\(\?#/, 'RE2 has no comments'],
  [/`\(\?[a-zA-Z]/, 'RE2 has the flags i, m, s and U only'],
  [/repeat count/, 'A repetition goes from the smaller number to the larger, up to 1,000'],
]

/** RE2's words, which name the place, with ours, which name what the place is. */
function explained(words: string): string {
  const reason = reasons.find(([pattern]) => pattern.test(words))?.[1]
  return reason === undefined ? `It is not an RE2 pattern: ${words}` : `${reason}: ${words}`
}
