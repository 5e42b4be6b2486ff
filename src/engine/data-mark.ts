/** The program that reads and writes the mark of the data in a folder, and what its answer says. Pure. */

import { textFile } from '../lib/text-file.ts'
import type { Outcome } from './engine.ts'
import { EngineFailure } from './engine.ts'

/** Without a dot before it: whoever empties the folder by `rm -rf *` takes it along. */
export const markFile = 'berth-identity'

const script = textFile('engine/data-mark.sh', { markFile })

export const markProgram = (folder: string, fresh: string | null): string[] => [
  'sh',
  '-c',
  script,
  'berth',
  folder,
  fresh ?? '',
]

/** Throws EngineFailure where the program failed or its answer is not whole: nothing is known of the mark then. */
export function markIn({ exitCode, stdout, stderr }: Outcome): string | null {
  const answer = /^(?:none|is (.*))\n$/s.exec(stdout)
  if (exitCode === 0 && answer !== null) return answer[1] || null
  const words = stderr.trim() || `exit code ${exitCode}`
  throw new EngineFailure('failed', `The mark of the data could not be read or written: ${words}`)
}
