/** A lock on a file that ends with the process, however that ends. */
import { DatabaseSync } from 'node:sqlite'
import { faultOf } from '../faults.ts'

/** SQLite's number for: another connection holds the lock. */
const busy = 5

/** Another process has the store open. */
export class StoreInUse extends Error {}

/** Held until it is closed. Throws what `taken` makes where another process holds it. */
export function holdLock(path: string, taken: (cause: unknown) => Error): { close(): void } {
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

/** What a Berth that serves the folder holds, and whoever must not meet one there. */
export function holdFolder(folder: string): { close(): void } {
  const path = `${folder}/berth.lock`
  return holdLock(
    path,
    (cause) => new StoreInUse(`Another Berth is running on this data folder (${path} is locked)`, { cause }),
  )
}
