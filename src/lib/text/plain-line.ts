/** A line of a log as plain text of limited length. Pure. */
import { stripVTControlCharacters } from 'node:util'

/** Returns the beginning of the line, without control characters and escape sequences. */
export function plainLine(line: string, maxCharacters: number): string {
  const visible = stripVTControlCharacters(line)
    .replaceAll('\t', ' ')
    .replace(/\p{Cc}/gu, '')
  return visible.slice(0, maxCharacters).trimEnd()
}
