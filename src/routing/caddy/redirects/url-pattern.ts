/**
 * Compiles the patterns of redirects. The patterns have RE2 syntax and may match anywhere in the URL, as in Caddy,
 * which uses Go's `regexp`. re2js is a translation of Go's code, so it accepts the same patterns and finds the same
 * matches.
 */
import { RE2JS, RE2JSException } from 're2js'
import { patternSize } from './pattern-size.ts'

const maxPatternLength = 1_000

/** Limits the time of a match, which is proportional to the number of instructions and to the length of the URL. */
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

/** Refuses patterns that Berth does not allow, and patterns that are too large to compile. */
function faultOf(text: string): string | null {
  if (text === '') return 'must not be empty: an empty pattern matches every URL. Write .* to match every URL'
  if (text.length > maxPatternLength) return `must have at most ${maxPatternLength} characters`
  if (/[\p{Cc}]/u.test(text)) return 'must not contain control characters, because a URL has none'
  if (!text.isWellFormed()) return 'must be well-formed Unicode'
  const numeric = /\(\?P?<(\d+)>/.exec(text)
  if (numeric !== null) return `The name of a group must not be a number: (?<${numeric[1]}>`
  return patternSize(text) > maxInstructions
    ? `The pattern repeats too much: with its repetitions written out it has more than ${maxInstructions} parts`
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
  [/`\(\?>/, 'RE2 has no atomic groups, and does not need them, because it never backtracks'],
  [/`\\(?:[1-9]|g|k)/, 'RE2 has no backreferences'],
  [/`[*+?}][+]/, 'RE2 has no possessive repetition, and does not need it, because it never backtracks'],
  [/`\\[zZGKRhC]/, 'RE2 does not support this escape. ^ and $ match the beginning and the end of the URL'],
  [/`\(\?#/, 'RE2 has no comments'],
  [/`\(\?[a-zA-Z]/, 'RE2 has only the flags i, m, s and U'],
  [/repeat count/, 'A repetition must go from the smaller number to the larger number, up to 1,000'],
]

/** Adds an explanation to the message of RE2, which quotes the invalid part of the pattern. */
function explained(message: string): string {
  const reason = reasons.find(([pattern]) => pattern.test(message))?.[1]
  return reason === undefined ? `is not a valid RE2 pattern: ${message}` : `${reason}: ${message}`
}
