/** Reads a dump in turns, so that no dump keeps the process from its other work. */
import { setImmediate } from 'node:timers/promises'
import type { ArchiveReader } from '../kinds/backup.ts'

/** What a reader gets at once. The work for it is bounded, because the work for each byte is. */
export const sliceBytes = 32 * 1024
/** After so many steps of a reader, other work has its turn. A reader makes 40 to 1000 steps in a microsecond. */
export const stepsOfTurn = 1024 * 1024

/** Returns a function that passes a piece of the dump to the reader. Counts steps, and never looks at a clock. */
export function inTurns(
  reader: Pick<ArchiveReader, 'write' | 'costs'>,
  otherWork: () => Promise<unknown> = setImmediate,
): (piece: Buffer) => Promise<void> {
  let turnEnd = stepsOfTurn
  return async (piece) => {
    for (let at = 0; at < piece.length; at += sliceBytes) {
      reader.write(piece.subarray(at, at + sliceBytes))
      if (reader.costs.steps < turnEnd) continue
      await otherWork()
      turnEnd = reader.costs.steps + stepsOfTurn
    }
  }
}
