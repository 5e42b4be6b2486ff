/** Parses the WWW-Authenticate header. */

export interface Challenge {
  scheme: string
  parameters: Record<string, string>
}

const word = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"

/**
 * Returns all challenges of a header, with schemes and parameter names in lower case. Ignores the rest of the header
 * after the first invalid part. Node joins several headers with commas. Source: RFC 9110, 11.6.1.
 */
export function parseChallenges(header: string): Challenge[] {
  const value = `"(?<quoted>(?:[^"\\\\]|\\\\.)*)"|(?<plain>${word})`
  const part = new RegExp(`[\\s,]*(?<name>${word})(?:\\s*=\\s*(?:${value}))?`, 'y')
  const challenges: Challenge[] = []
  for (let match = part.exec(header); match?.groups; match = part.exec(header)) {
    const { name = '', quoted, plain } = match.groups
    const text = quoted?.replace(/\\(.)/g, '$1') ?? plain
    const current = challenges.at(-1)
    if (text === undefined) challenges.push({ scheme: name.toLowerCase(), parameters: {} })
    else if (current !== undefined) current.parameters[name.toLowerCase()] ??= text
  }
  return challenges
}
