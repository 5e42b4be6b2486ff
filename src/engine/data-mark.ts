/** The program that reads and writes the mark of the data in a folder, and what its answer says. Pure. */
import { EngineRefused } from './engine.ts'
import type { Outcome } from './engine.ts'

/** Without a dot before it: whoever empties the folder by `rm -rf *` takes it along. */
export const markFile = 'berth-identity'

/**
 * It is written at once and synced: the store may say so the next moment. An empty file is what an attempt that was cut
 * off has left. Anything but a file is none: a program is not to wait for a pipe.
 */
const script = `
mark=$1/${markFile}
if [ -n "$2" ] && [ ! -s "$mark" ]; then
  umask 022
  printf '%s\\n' "$2" | dd of="$mark" conv=fsync || exit 1
fi
if [ -f "$mark" ]; then
  text=$(head -c 200 "$mark") || exit 1
  printf 'is %s\\n' "$text"
else
  echo none
fi
`

export const markProgram = (folder: string, fresh: string | null): string[] => [
  'sh',
  '-c',
  script,
  'berth',
  folder,
  fresh ?? '',
]

/** Throws EngineRefused where the program failed or its answer is not whole: nothing is known of the mark then. */
export function markIn({ exitCode, stdout, stderr }: Outcome): string | null {
  const answer = /^(?:none|is (.*))\n$/s.exec(stdout)
  if (exitCode === 0 && answer !== null) return answer[1] || null
  const words = stderr.trim() || `exit code ${exitCode}`
  throw new EngineRefused(500, `The mark of the data could not be read or written: ${words}`)
}
