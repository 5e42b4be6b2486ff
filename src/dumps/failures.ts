/** The errors with which runs of backups fail, and the reason that is stored of each. */
import { EngineFailure, EngineUnavailable } from '../engine/failures.ts'
import { BrokenArchive } from '../kinds/backup.ts'
import { TooLarge } from '../lib/net/read-whole.ts'
import { LeftUpload, StorageFault } from '../lib/s3/s3.ts'
import type { RunReason } from './run-reason.ts'
import { runReasonMessage } from './run-reason-message.ts'

/** A run of a backup fails with this reason. No defect of Berth. */
export class RunFailure extends Error {
  readonly reason: RunReason

  constructor(reason: RunReason, options?: ErrorOptions) {
    super(runReasonMessage(reason), options)
    this.name = 'RunFailure'
    this.reason = reason
  }
}

/** A backup of Berth's own state cannot be used. The message says why, and what to do. */
export class StateRefused extends Error {}

/** There is nothing to dump: no such database, or for some products nothing in it. */
export class NothingThere extends RunFailure {}

const maxDetail = 2000

/** As much as is stored of a text that a tool or a storage wrote. */
export const detailOf = (text: string): string => text.slice(0, maxDetail)

/** The reason for which a run failed with this error. */
export function runReasonOf(error: unknown): RunReason {
  if (error instanceof RunFailure) return error.reason
  // What the upload left is deleted later.
  if (error instanceof LeftUpload) return runReasonOf(error.cause)
  const detail = detailOf((error as Error).message)
  if (error instanceof StorageFault) return { reason: 'StorageFailed', fault: error.kind, detail }
  if (error instanceof EngineUnavailable) return { reason: 'EngineUnavailable', detail }
  if (error instanceof EngineFailure) return { reason: 'EngineFailed', detail }
  if (error instanceof BrokenArchive) return { reason: 'ArchiveBroken', detail }
  if (error instanceof StateRefused) return { reason: 'StateUnreadable', detail }
  return { reason: error instanceof TooLarge ? 'TooLarge' : 'Failed', detail }
}
