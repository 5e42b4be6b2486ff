/**
 * Why a run of a backup is where it is: a closed union of reasons with their parameters. This is what the store holds;
 * run-reason-message.ts makes sentences of it. Texts of tools and storages are parameters, with passwords masked.
 */
import type { FaultKind } from '../lib/s3/faults.ts'

/** The run was not begun. `dueAt`: when it should have been. */
export type SkipReason =
  | { reason: 'MissedSchedule'; dueAt: string }
  | { reason: 'PreviousRunOpen'; runId: string }
  | { reason: 'NothingToVerify' }

/** The service that is dumped or restored into. */
export type ServiceReason =
  | { reason: 'ServiceRemoved' }
  | { reason: 'ServiceNotDeployed' }
  | { reason: 'ServiceStopped' }
  | { reason: 'ServiceStoppedMeanwhile' }
  | { reason: 'ServiceDown' }
  | { reason: 'ServiceNotUp'; detail: string | null }
  | { reason: 'ServiceNotUpInTime' }
  | { reason: 'LoginRefused'; detail: string | null }
  | { reason: 'DataNotCompared' }
  | { reason: 'ContainerReplaced' }

/** A tool, like pg_dump, ended badly. `detail`: the end of its stderr. DatabaseMissing: it says that there is none. */
export interface ToolEnd {
  tool: string
  exitCode: number
  outOfMemory: boolean
  detail: string
}

export type DumpReason =
  | ({ reason: 'ToolFailed' } & ToolEnd)
  | ({ reason: 'DatabaseMissing' } & ToolEnd)
  | { reason: 'DumpEmpty' }
  | { reason: 'ObjectDiffers'; receivedBytes: number | null; sentBytes: number | null }
  | { reason: 'OlderDumpNotDeleted'; detail: string }

/** `cause`: what failed when the scratch server ended; null: the server ended before it could be used. */
export type DrillReason =
  | { reason: 'RestoredEqual'; tables: number; rows: number }
  | { reason: 'DumpGone' }
  | { reason: 'ObjectChanged' }
  | { reason: 'ForeignRecipient'; recipient: string | null }
  | { reason: 'ContentDiffers'; differences: string[] }
  | { reason: 'ManifestDiffers'; differences: string[] }
  | { reason: 'ScratchServerEnded'; exitCode: number; detail: string; cause: RunReason | null }

export type StorageReason =
  | { reason: 'DestinationRemoved' }
  | { reason: 'StorageFailed'; fault: FaultKind; detail: string }

/**
 * A restore had begun to replace what a service held. LoadInterrupted: Berth or the engine was away, so nobody knows
 * how far the load came. `safetyRunId`: the dump that was made before. `isAtomic`: the kind replaces a database in one
 * step, the last one.
 */
export type LoadReason =
  | { reason: 'LoadInterrupted'; safetyRunId: string | null; isAtomic: boolean }
  | { reason: 'LoadFailed'; safetyRunId: string | null; isAtomic: boolean; cause: RunReason }

/** ToolIdle: a tool gave and took no byte for so long. TookTooLong: the whole run was not over by then. */
export type DeadlineReason = { reason: 'ToolIdle'; seconds: number } | { reason: 'TookTooLong'; seconds: number }

export type RunReason =
  | SkipReason
  | ServiceReason
  | DumpReason
  | DrillReason
  | StorageReason
  | LoadReason
  | DeadlineReason
  | { reason: 'Cancelled' }
  /** Berth ended so often during the run. */
  | { reason: 'InterruptedTooOften'; times: number }
  /** The run was under way when the backup of the state was made that is restored now. */
  | { reason: 'InterruptedByRestore' }
  | { reason: 'EngineUnavailable'; detail: string }
  | { reason: 'EngineFailed'; detail: string }
  /** The dump is damaged or not whole. */
  | { reason: 'ArchiveBroken'; detail: string }
  /** The backup of Berth's own state cannot be opened. */
  | { reason: 'StateUnreadable'; detail: string }
  | { reason: 'TooLarge'; detail: string }
  /** An error that Berth does not know. */
  | { reason: 'Failed'; detail: string }
  /** Stored by a version of Berth that stored sentences. */
  | { reason: 'Legacy'; message: string }
