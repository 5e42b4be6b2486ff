/** Tells failures of the disk under the store from defects of Berth. The caller gets advice, the log gets the cause. */
import { Refusal } from '../errors.ts'

/** SQLITE_FULL. */
const full = 13

/** Messages by SQLite's primary result code: READONLY, IOERR, FULL, CANTOPEN. Source: sqlite.org/rescode.html */
const sentences = new Map([
  [8, 'can only be read. Let it be written'],
  [10, 'failed. The system log of this machine says why; see to it'],
  [full, 'is full. Make room on it'],
  [14, 'gave no file. The log of Berth says why; see to it'],
])

/** The disk, and not the call, is the cause of a failure. */
export class StoreFault extends Refusal {
  readonly isFull: boolean

  constructor(state: string, isFull: boolean, cause: unknown) {
    super('SERVICE_UNAVAILABLE', `The disk of Berth's data folder ${state}; until then nothing is changed`, { cause })
    this.isFull = isFull
  }
}

/** Returns a StoreFault for an error of SQLite that the disk causes, and any other error unchanged. */
export function faultOf(error: unknown): unknown {
  const { errcode } = error as { errcode?: unknown }
  if (typeof errcode !== 'number') return error
  // The lowest byte is the primary result code. The others give details.
  const code = errcode & 0xff
  const state = sentences.get(code)
  return state === undefined ? error : new StoreFault(state, code === full, error)
}
