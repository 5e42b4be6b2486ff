/**
 * The mark is a file among the data of a database. Its text identifies the data. This file has the command that reads
 * or writes the mark (data-mark.sh) and the parser of its output. Pure.
 */

import { textFile } from '../lib/text-file.ts'
import type { Outcome } from './engine.ts'
import { EngineFailure } from './engine.ts'

/** The file name of the mark. Without a leading dot, so `rm -rf *` in the folder removes the mark with the data. */
export const markFile = 'berth-identity'

const script = textFile('engine/data-mark.sh', { markFile })

/**
 * The argv that runs data-mark.sh.
 * @param folder absolute path of the data
 * @param newMark the text to write if there is no mark; null: only read the mark
 */
export const markArgv = (folder: string, newMark: string | null): string[] => [
  'sh',
  '-c',
  script,
  'berth',
  folder,
  newMark ?? '',
]

/**
 * The mark that data-mark.sh printed, or null if the data has no mark.
 * Throws EngineFailure `failed` if the program failed or its output is incomplete.
 */
export function parseMark({ exitCode, stdout, stderr }: Outcome): string | null {
  const answer = /^(?:none|is (.*))\n$/s.exec(stdout)
  if (exitCode === 0 && answer !== null) return answer[1] || null
  const detail = stderr.trim() || `exit code ${exitCode}`
  throw new EngineFailure('failed', `Cannot read or write the file ${markFile} among the data: ${detail}`)
}
