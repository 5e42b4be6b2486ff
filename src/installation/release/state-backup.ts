/** Backs up and restores Berth's own state with the program of one version, as the owner of the data folder. */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { syncPath } from '../../store/sqlite/synced.ts'
import { runProgram } from './programs.ts'
import type { StateBackup } from './record.ts'

const storePath = (dataFolder: string) => join(dataFolder, 'berth.db')

/**
 * Writes a backup beside the data folder, with the version and the time in its name.
 * @param folder the folder of the version that wrote the store
 * @returns null if there is no store yet
 */
export function backUpState(folder: string, version: string, dataFolder: string, now: Date): StateBackup | null {
  if (!existsSync(storePath(dataFolder))) return null
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '')
  const path = `${dataFolder}-${version}-${time}.state`
  const part = `${path}.part`
  // Read before: if Berth runs, later changes may be missing from the backup.
  const lastEntry = lastAuditEntry(dataFolder)!
  const file = openSync(part, 'w', 0o600)
  try {
    // The owner of the data folder cannot write beside it, so this process opens the file.
    runProgram(join(folder, 'bin/berth'), ['state', 'backup', '-'], {
      stdio: ['ignore', file, 'pipe'],
      ...ownerOf(dataFolder),
    })
    fsyncSync(file)
    renameSync(part, path)
    syncPath(dirname(path))
  } finally {
    closeSync(file)
    rmSync(part, { force: true })
  }
  return { path, storeVersion: storeVersion(dataFolder)!, madeAt: now.toISOString(), lastEntry }
}

/**
 * Restores a backup, and keeps the present store under another name. Berth must not run.
 * @param isExact whether nothing was changed since the backup
 */
export function restoreState(folder: string, backup: StateBackup, dataFolder: string, isExact: boolean): void {
  const file = openSync(backup.path, 'r')
  try {
    runProgram(join(folder, 'bin/berth'), ['state', 'restore', '-', isExact ? '--exact' : '--replace'], {
      stdio: [file, 'pipe', 'pipe'],
      ...ownerOf(dataFolder),
    })
  } finally {
    closeSync(file)
  }
}

/** Files that the command creates, such as locks, must belong to the user that runs Berth. */
function ownerOf(dataFolder: string) {
  const { uid, gid } = statSync(dataFolder)
  return process.getuid!() === 0 ? { uid, gid, cwd: '/' } : {}
}

/** The name of the newest migration of the store; null if there is no store, or it cannot be read. */
export const storeVersion = (dataFolder: string): string | null =>
  readStore(dataFolder, 'select max("name") as "value" from "kysely_migration"') as string | null

/** The number of the last entry in the audit log, 0 if it is empty; null if the store cannot be read. */
const lastAuditEntry = (dataFolder: string): number | null =>
  readStore(dataFolder, 'select coalesce(max("seq"), 0) as "value" from "audit"') as number | null

/** The number of calls in the audit log since a backup, without those that were refused; null if it is unknown. */
export const callsSince = (dataFolder: string, { lastEntry }: StateBackup): number | null =>
  readStore(
    dataFolder,
    `select count(*) as "value" from "audit" where "result" = 'OK' and "seq" > ${Number(lastEntry)}`,
  ) as number | null

/** Reads one value, also of a store of another version. Null if there is no store, or it cannot be read. */
function readStore(dataFolder: string, select: string): unknown {
  if (!existsSync(storePath(dataFolder))) return null
  const file = new DatabaseSync(storePath(dataFolder), { readOnly: true })
  try {
    file.exec('pragma busy_timeout = 5000')
    return file.prepare(select).get()?.value
  } catch {
    return null
  } finally {
    file.close()
  }
}
