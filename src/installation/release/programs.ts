/** Runs the programs of the system and of a release. */
import { execFileSync, type ExecFileSyncOptions } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { accessSync, constants } from 'node:fs'

/**
 * The environment of other programs. The entry script of a release sets LD_LIBRARY_PATH for Node only.
 */
const environment = (): NodeJS.ProcessEnv => ({ ...process.env, LD_LIBRARY_PATH: undefined })

/**
 * Runs a program to its end.
 * @returns its standard output
 * @throws an error with its standard error
 */
export function runProgram(name: string, args: readonly string[], options: ExecFileSyncOptions = {}): string {
  try {
    const output = execFileSync(name, args, { stdio: ['ignore', 'pipe', 'pipe'], env: environment(), ...options })
    return output?.toString() ?? ''
  } catch (cause) {
    const { stderr, message } = cause as Error & { stderr?: Buffer }
    const reason = stderr?.toString().trim() || message
    throw new Error(`${[name, ...args].join(' ')} failed: ${reason}`, { cause })
  }
}

/** Whether PATH has the program. */
export function hasProgram(name: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
