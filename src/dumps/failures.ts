/** The errors of backup runs, and the reason that is stored for each. */
import { EngineFailure, EngineUnavailable } from '../engine/failures.ts'
import { BrokenArchive } from '../kinds/backup.ts'
import { TooLarge } from '../lib/net/read-whole.ts'
import { AbandonedUpload, StorageFault } from '../lib/storage/faults.ts'
import type { RunReason } from './run-reason.ts'
import { runReasonMessage } from './run-reason-message.ts'

/** Fails a backup run with a reason. The error is not a defect of Berth. */
export class RunFailure extends Error {
  readonly reason: RunReason

  constructor(reason: RunReason, options?: ErrorOptions) {
    super(runReasonMessage(reason), options)
    this.name = 'RunFailure'
    this.reason = reason
  }
}

/** A backup of Berth's own state cannot be used. The message says why and, in most cases, what to do. */
export class StateRefused extends Error {}

/** There is nothing to dump: the database does not exist or, for some products, is empty. */
export class NothingThere extends RunFailure {}

const maxDetailLength = 2000

/** Cuts the text of a tool or a storage to the length that is stored. */
export const detailOf = (text: string): string => text.slice(0, maxDetailLength)

/** The reason to store for a run that failed with this error. */
export function runReasonOf(error: unknown): RunReason {
  if (error instanceof RunFailure) return error.reason
  // The cleanup aborts the upload later. The reason of the run is the error that ended the upload.
  if (error instanceof AbandonedUpload) return runReasonOf(error.cause)
  const detail = detailOf((error as Error).message)
  if (error instanceof StorageFault) return { reason: 'StorageFailed', fault: error.kind, detail }
  if (error instanceof EngineUnavailable) return { reason: 'EngineUnavailable', detail }
  if (error instanceof EngineFailure) return { reason: 'EngineFailed', detail }
  if (error instanceof BrokenArchive) return { reason: 'ArchiveBroken', detail }
  if (error instanceof StateRefused) return { reason: 'StateUnreadable', detail }
  return { reason: error instanceof TooLarge ? 'TooLarge' : 'Failed', detail }
}
