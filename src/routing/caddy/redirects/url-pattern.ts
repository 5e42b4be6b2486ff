/**
 * Compiles the patterns of redirects: RE2, searched anywhere in the whole URL, as Caddy does with Go's `regexp`. re2js
 * is a translation of Go's code, so it accepts the same patterns and finds the same matches.
 */
import { RE2JS, RE2JSException } from 're2js'
import { patternSize } from './pattern-size.ts'

const maxPatternLength = 1_000

/** The time of a match is proportional to the number of instructions and to the length of the URL. */
const maxInstructions = 1_000

export interface UrlPattern {
  /**
   * Returns a function from a group's number or name to its text ('0' is the whole match), or null if nothing matches.
   */
  match: (url: string) => ((group: string) => string) | null
  groupCount: number
  groupNames: string[]
}

/** Compiles a pattern. Returns an error message if it is invalid or too large. */
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

/** Refuses patterns that the compiler accepts but Berth does not, and those that are too large to compile. */
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

/** Adds an explanation to RE2's message, which quotes the part of the pattern. */
function explained(message: string): string {
  const reason = reasons.find(([pattern]) => pattern.test(message))?.[1]
  return reason === undefined ? `It is not an RE2 pattern: ${message}` : `${reason}: ${message}`
}
