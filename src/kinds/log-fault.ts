/** Finds the line in the log of a server that says why the server ended. Later lines often only say that it ends. Pure. */
import type { Kind } from './kind.ts'

const maxCharacters = 300

/**
 * Returns the fault that the log names, or null if no line has a known form.
 *
 * @param lines the end of the log, oldest first
 */
export function logFault({ logFaults }: Pick<Kind, 'logFaults'>, lines: readonly string[]): string | null {
  const log = lines.join('\n')
  const [found] = logFaults.map((pattern) => pattern.exec(log)).filter((match) => match !== null)
  if (found === undefined) return null
  const text = found.slice(1).join(': ').trim().replace(/\.$/, '')
  return text.slice(0, maxCharacters)
}
