/** The output of a kind's login program: the version of the server and the paths of its data. Pure. */

export interface LoginOutput {
  /** Null if the program printed no version. */
  version: string | null
  /** The absolute paths of all files and folders that the server needs after a crash; see `Kind.ready`. */
  paths: string[]
  /** Whether the server refuses the password of its administrator. */
  isRootRefused: boolean
}

/** Reads the standard output of the program that `Kind.ready` returned. */
export function loginOutput(stdout: string): LoginOutput {
  const lines = stdout.split('\n').map((line) => line.replace(/\r$/, ''))
  return {
    version: /^\d+(?:\.\d+)*$/.exec(lines[0]!.trim())?.[0] ?? null,
    paths: [...new Set(lines.filter((line) => line.startsWith('/')))],
    isRootRefused: lines.includes('root refused'),
  }
}
