/** What the disk under the store refuses, told from defects of Berth: the caller hears what to do, the log the rest. */
import { Refusal } from '../errors.ts'

/** SQLite's number for a disk without room. */
const full = 13

/** By SQLite's primary result codes. Source: sqlite.org/rescode.html */
const sentences = new Map([
  [8, 'can only be read. Let it be written'],
  [10, 'failed. The system log of this machine says why; see to it'],
  [full, 'is full. Make room on it'],
  [14, 'gave no file. The log of Berth says why; see to it'],
])

/** The disk, and not the call, is why it could not be done. */
export class StoreFault extends Refusal {
  readonly isFull: boolean

  constructor(state: string, isFull: boolean, cause: unknown) {
    super('SERVICE_UNAVAILABLE', `The disk of Berth's data folder ${state}; until then nothing is changed`, { cause })
    this.isFull = isFull
  }
}

/** What stands for an error of SQLite's: a StoreFault where the disk is at fault, else the error itself. */
export function faultOf(error: unknown): unknown {
  const { errcode } = error as { errcode?: unknown }
  if (typeof errcode !== 'number') return error
  // The lowest byte of the code is the sort of failure, the others tell more of it.
  const code = errcode & 0xff
  const state = sentences.get(code)
  return state === undefined ? error : new StoreFault(state, code === full, error)
}
