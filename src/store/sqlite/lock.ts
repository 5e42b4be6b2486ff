/** Locks on files, which end with the process even if it is killed. */
import { DatabaseSync } from 'node:sqlite'
import { faultOf } from '../faults.ts'

/** SQLITE_BUSY: another connection holds the lock. */
const busy = 5

/** Another process has the store open. */
export class StoreInUse extends Error {}

/**
 * Locks a file until the lock is closed.
 * @throws the result of `taken` if another process holds the lock
 */
export function lockFile(path: string, taken: (cause: unknown) => Error): { close(): void } {
  const lock = new DatabaseSync(path)
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
    return lock
  } catch (cause) {
    lock.close()
    if ((cause as { errcode?: number }).errcode !== busy) throw faultOf(cause)
    throw taken(cause)
  }
}

/**
 * Locks a data folder. The server holds this lock, and so do commands that cannot run beside the server.
 * @throws StoreInUse if another process holds the lock
 */
export function lockFolder(folder: string): { close(): void } {
  const path = `${folder}/berth.lock`
  return lockFile(
    path,
    (cause) => new StoreInUse(`Another Berth is running on this data folder (${path} is locked)`, { cause }),
  )
}
