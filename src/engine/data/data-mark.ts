/**
 * The mark is a short text that identifies the data of a database. It is stored in a file in the data folder. This
 * module has the command that reads or writes the mark (data-mark.sh) and the parser of the command's output. Pure.
 */

import { textFile } from '../../lib/text-file.ts'
import type { Outcome } from '../engine.ts'
import { EngineFailure } from '../engine.ts'

/** The file name of the mark. It has no leading dot: `rm -rf *` in the folder has to remove the mark with the data. */
export const markFile = 'berth-identity'

const script = textFile('engine/data/data-mark.sh', { markFile })

/**
 * The argv that runs data-mark.sh.
 * @param folder absolute path of the data folder
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
 * Returns the mark that data-mark.sh printed, or null if the data has no mark.
 * Throws EngineFailure `failed` if the program failed or its output is incomplete.
 */
export function parseMark({ exitCode, stdout, stderr }: Outcome): string | null {
  const match = /^(?:none|is (.*))\n$/s.exec(stdout)
  if (exitCode === 0 && match !== null) return match[1] || null
  const detail = stderr.trim() || `exit code ${exitCode}`
  throw new EngineFailure('failed', `Cannot read or write the file ${markFile} in the data folder: ${detail}`)
}
