/** Processes of the proxy on this machine, by the folder in their environment: what a Berth before began is found. */
import { readdirSync, readFileSync } from 'node:fs'

/** Ids of those with this folder of state, see routing/caddy/launch.ts. */
export function processesIn(stateFolder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => environmentOf(name).includes(`XDG_CONFIG_HOME=${stateFolder}`))
    .map(Number)
}

export function endProcessesIn(stateFolder: string): void {
  for (const id of processesIn(stateFolder)) {
    try {
      process.kill(id, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

/** Of a process that has ended meanwhile, or is another user's: nothing. */
function environmentOf(id: string): string[] {
  try {
    return readFileSync(`/proc/${id}/environ`, 'latin1').split('\0')
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}
