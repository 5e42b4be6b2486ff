/**
 * Finds and kills processes of the proxy on this machine by the state folder in their environment. This includes
 * processes that an earlier process of Berth started.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { outgoingIn } from './caddy/outgoing.ts'

/**
 * Returns the ids of the processes with this state folder in their environment. caddy/launch.ts sets this environment.
 * Source: proc(5).
 */
export function processesIn(stateFolder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => environmentOf(name).includes(`XDG_CONFIG_HOME=${stateFolder}`))
    .map(Number)
}

/** Whether a process with this state folder was started with other variables for the outgoing proxy than these. */
export const hasOtherOutgoing = (stateFolder: string, variables: Record<string, string>): boolean =>
  processesIn(stateFolder).some((id) => {
    const pairs = environmentOf(String(id)).map((line) => /^([^=]*)=(.*)$/s.exec(line))
    const env = Object.fromEntries(pairs.flatMap((pair) => (pair === null ? [] : [[pair[1]!, pair[2]!]])))
    return !isDeepStrictEqual(outgoingIn(env), variables)
  })

/** Kills the processes with this state folder (SIGKILL). */
export function killProcessesIn(stateFolder: string): void {
  for (const id of processesIn(stateFolder)) {
    try {
      process.kill(id, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

/** Returns the environment of a process. Returns [] if the process has ended or belongs to another user. */
function environmentOf(id: string): string[] {
  try {
    return readFileSync(`/proc/${id}/environ`, 'utf8').split('\0')
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}
