/**
 * Distinguishes failures of the disk under the store from defects of Berth. The message of a StoreFault has advice for
 * the caller, and its cause is SQLite's error, for the log.
 */
import { Refusal } from '../errors.ts'

/** SQLITE_FULL. */
const full = 13

/** Parts of messages by SQLite's primary result code: READONLY, IOERR, FULL, CANTOPEN (sqlite.org/rescode.html). */
const messages = new Map([
  [8, 'is read-only. Make it writable'],
  [10, 'failed. Look for the cause in the system log of this machine'],
  [full, 'is full. Free some space'],
  [14, 'did not open a file. Look for the cause in the log of Berth'],
])

/** A failure whose cause is the disk, not the call. */
export class StoreFault extends Refusal {
  readonly isFull: boolean

  constructor(state: string, isFull: boolean, cause: unknown) {
    super('SERVICE_UNAVAILABLE', `The disk of Berth's data folder ${state}. Nothing was changed`, { cause })
    this.isFull = isFull
  }
}

/** Returns a StoreFault if the disk caused the error of SQLite. Returns any other error unchanged. */
export function faultOf(error: unknown): unknown {
  const { errcode } = error as { errcode?: unknown }
  if (typeof errcode !== 'number') return error
  // The lowest byte is the primary result code. The other bytes contain details.
  const code = errcode & 0xff
  const state = messages.get(code)
  return state === undefined ? error : new StoreFault(state, code === full, error)
}
