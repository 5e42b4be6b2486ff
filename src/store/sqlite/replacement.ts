/**
 * Replaces the store by another one in two steps, so that a crash never leaves the new store beside the write-ahead log
 * of the old one: SQLite would apply that log. The caller has locked the data folder, and keeps a copy of the old store.
 */
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { syncPath } from './synced.ts'

/** The new store. As long as this file exists, the replacement is decided and not finished. */
const nextName = 'berth.db.next'

/** Whether a replacement is decided and not finished. A change of the present store would be lost. */
export const isReplacementDecided = (folder: string): boolean => existsSync(join(folder, nextName))

/** Decides the replacement. @param prepared the new store, complete, synced and on the file system of the folder */
export function decideReplacement(folder: string, prepared: string): void {
  renameSync(prepared, join(folder, nextName))
  syncPath(folder)
}

/**
 * Finishes a decided replacement; does nothing if there is none.
 * @param cleared called after the log of the old store is removed
 */
export function finishReplacement(folder: string, cleared: () => void = () => undefined): void {
  if (!isReplacementDecided(folder)) return
  const next = join(folder, nextName)
  const path = join(folder, 'berth.db')
  for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true })
  // Without this sync, a power failure could keep the rename and undo the removal.
  syncPath(folder)
  cleared()
  renameSync(next, path)
  syncPath(folder)
}
