/**
 * Whether a start of Berth continues an earlier process of the same data folder. A copy of the folder, on this machine
 * or another one, does not: its place differs. An older copy that was put back in place does not either, because its
 * file names an older process.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Charge } from '../engine/charge.ts'
import { writeInOneStep } from '../store/sqlite/synced.ts'

/**
 * A digest of what distinguishes a data folder from its copies: the machine (machine-id(5)), the path and the inode.
 * The device number is left out, because it can change when the machine boots.
 */
export function placeOf(folder: string, machineIdFile = '/etc/machine-id'): string {
  const machineId = existsSync(machineIdFile) ? readFileSync(machineIdFile, 'utf8').trim() : ''
  const path = realpathSync(folder)
  return createHash('sha256')
    .update(JSON.stringify([machineId, path, statSync(path).ino]))
    .digest('hex')
    .slice(0, 32)
}

/** The processes of this data folder that took charge last, in a file beside the store. A restore keeps the file. */
export function processFile(folder: string) {
  const path = join(folder, 'charge.json')
  const read = (): string[] => (existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as string[]) : [])
  return {
    /** Whether an earlier process of this data folder is in charge. */
    includes: (charge: Charge, place: string): boolean => charge.place === place && read().includes(charge.process),
    /**
     * Stores that a process is about to replace another one. Both count until the next call, because the process may end
     * before the swarm has stored it.
     * @param before the process in charge; null: there is none
     */
    replace(before: string | null, id: string): void {
      writeInOneStep(path, JSON.stringify(before === null ? [id] : [id, before]), 0o600)
    },
  }
}
