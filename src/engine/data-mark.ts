/**
 * The program (data-mark.sh) that reads and writes the mark of the data in a folder, and the parser of its output.
 * Pure.
 */

import { textFile } from '../lib/text-file.ts'
import type { Outcome } from './engine.ts'
import { EngineFailure } from './engine.ts'

/** The name has no leading dot, so `rm -rf *` in the folder removes the mark together with the data. */
export const markFile = 'berth-identity'

const script = textFile('engine/data-mark.sh', { markFile })

/**
 * The argv that runs data-mark.sh.
 * @param folder absolute path of the data
 * @param fresh the mark to write where there is none; null: only read
 */
export const markArgv = (folder: string, fresh: string | null): string[] => [
  'sh',
  '-c',
  script,
  'berth',
  folder,
  fresh ?? '',
]

/**
 * The mark that the program printed, or null if there is none.
 * Throws EngineFailure `failed` if the program failed or its output is incomplete.
 */
export function parseMark({ exitCode, stdout, stderr }: Outcome): string | null {
  const answer = /^(?:none|is (.*))\n$/s.exec(stdout)
  if (exitCode === 0 && answer !== null) return answer[1] || null
  const detail = stderr.trim() || `exit code ${exitCode}`
  throw new EngineFailure('failed', `The mark of the data could not be read or written: ${detail}`)
}
