/** Locks on files. A lock ends with its process, even if the process is killed. */
import { DatabaseSync } from 'node:sqlite'
import { faultOf } from '../faults.ts'

/** SQLITE_BUSY: another connection has the lock. */
const busy = 5

/** Another process has the store open. */
export class StoreInUse extends Error {}

/**
 * Locks a file until the lock is closed.
 * @param errorOf returns the error to throw if another process has the lock
 */
export function lockFile(path: string, errorOf: (cause: unknown) => Error): { close(): void } {
  const lock = new DatabaseSync(path)
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
    return lock
  } catch (cause) {
    lock.close()
    if ((cause as { errcode?: number }).errcode !== busy) throw faultOf(cause)
    throw errorOf(cause)
  }
}

/**
 * Locks a data folder. Berth has this lock while it runs. Commands that need a stopped Berth take the lock too.
 * @throws StoreInUse if another process has the lock
 */
export function lockFolder(folder: string): { close(): void } {
  const path = `${folder}/berth.lock`
  return lockFile(
    path,
    (cause) => new StoreInUse(`Another Berth is running on this data folder (${path} is locked)`, { cause }),
  )
}
