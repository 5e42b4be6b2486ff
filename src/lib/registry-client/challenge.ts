/** What a server asks for in WWW-Authenticate. */

export interface Challenge {
  scheme: string
  parameters: Record<string, string>
}

const word = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"

/**
 * All challenges of a header, schemes and names in lower case; nothing of what follows a part that is none. Source: RFC
 * 9110, 11.6.1, and the folding of several headers into one by commas.
 */
export function parseChallenges(header: string): Challenge[] {
  const value = `"(?<quoted>(?:[^"\\\\]|\\\\.)*)"|(?<plain>${word})`
  const part = new RegExp(`[\\s,]*(?<name>${word})(?:\\s*=\\s*(?:${value}))?`, 'y')
  const found: Challenge[] = []
  for (let match = part.exec(header); match?.groups; match = part.exec(header)) {
    const { name = '', quoted, plain } = match.groups
    const said = quoted?.replace(/\\(.)/g, '$1') ?? plain
    const current = found.at(-1)
    if (said === undefined) found.push({ scheme: name.toLowerCase(), parameters: {} })
    else if (current !== undefined) current.parameters[name.toLowerCase()] ??= said
  }
  return found
}
