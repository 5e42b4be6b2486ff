/**
 * The reasons for the state of a backup run: a closed union with parameters, as stored. run-reason-message.ts renders
 * sentences. Texts of tools and storages are parameters, with passwords masked.
 */
import type { DatabaseFailure, DataPlaceReason, DatabaseWait, Outage } from '../deployments/reason.ts'
import type { ToolFault } from '../kinds/backup.ts'
import type { FaultKind } from '../lib/storage/faults.ts'

/** The run was skipped. `dueAt`: when it should have started. */
export type SkipReason =
  | { reason: 'MissedSchedule'; dueAt: string }
  | { reason: 'PreviousRunOpen'; runId: string }
  | { reason: 'NothingToVerify' }

/** The service to dump or to restore into cannot be used. */
export type ServiceReason =
  | { reason: 'ServiceRemoved' }
  | { reason: 'ServiceNotDeployed' }
  | { reason: 'ServiceStopped' }
  | { reason: 'ServiceStoppedMeanwhile' }
  | { reason: 'ServiceDown' }
  | { reason: 'ServiceNotUp'; cause: DatabaseFailure | DatabaseWait | Outage | null }
  | { reason: 'ServiceNotUpInTime' }
  | { reason: 'LoginRefused'; cause: DatabaseFailure | DatabaseWait | Outage | null }
  | { reason: 'DataNotCompared' }
  | { reason: 'ContainerReplaced' }
  | DataPlaceReason

/** The end of a tool, such as pg_dump, that failed. */
export interface ToolEnd {
  tool: string
  exitCode: number
  outOfMemory: boolean
  /** The end of the tool's stderr. */
  detail: string
}

/** The result of a dump. DatabaseMissing: the tool reports that the database does not exist. */
export type DumpReason =
  | ({ reason: 'ToolFailed' } & ToolEnd)
  | ({ reason: 'DatabaseMissing' } & ToolEnd)
  | (ToolFault & ToolEnd)
  | { reason: 'DumpEmpty' }
  | { reason: 'ObjectDiffers'; receivedBytes: number | null; sentBytes: number | null }
  | { reason: 'OlderDumpNotDeleted'; detail: string }

/** The result of a drill. `cause`: what failed when the scratch server exited; null: it exited before it was used. */
export type DrillReason =
  | { reason: 'RestoredEqual'; tables: number; rows: number }
  /** The dump cannot be verified, because a scratch server lacks the databases that its objects need. */
  | { reason: 'NotVerifiable'; needs: string[] }
  /** The dump cannot be verified now, because the node lacks the memory for a scratch server. */
  | { reason: 'MemoryMissing'; neededMib: number; availableMib: number }
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
 * What a database has after a restore: its previous data, or that of the dump. `unknown`: the server did not say it for a
 * long time; or a restore of an older version of Berth has failed, which could also leave a part of the dump.
 */
export type RestoredData = 'unchanged' | 'replaced' | 'unknown'

/**
 * A restore failed after it began to load the dump. LoadInterrupted: Berth ended or lost the connection to the engine
 * during the load. `safetyRunId`: the run of the safety dump; null: there is none.
 */
export type LoadReason =
  | { reason: 'LoadInterrupted'; safetyRunId: string | null; data: RestoredData }
  | { reason: 'LoadFailed'; safetyRunId: string | null; data: RestoredData; cause: RunReason }
  /**
   * The load has ended, and the server does not say whether it has replaced the data. `since`: when Berth first asked in vain.
   * `cause`: why the load ended.
   */
  | { reason: 'AwaitingServer'; since: string; cause: RunReason }
  /** The new volume with the content of the dump could not be made, or no server starts on it. */
  | { reason: 'VolumeNotReplaced'; cause: DatabaseFailure | null }

/** A restore was refused before it changed anything, because the server lacks databases that views of the dump need. */
export type NeedsReason = { reason: 'DatabasesMissing'; databases: string[] }

/** A restore succeeded, but `part` of the server, such as pg_cron, works again only after a restart. */
export type RestartReason = { reason: 'RestartNeeded'; part: string }
/** A restore was refused before it changed anything, because the node has no room for the old and the new data. */
export type SpaceReason = { reason: 'SpaceMissing'; node: string; neededBytes: number; freeBytes: number }

/** ToolIdle: a tool transferred no byte for `seconds`. TookTooLong: the run did not end within `seconds`. */
export type DeadlineReason = { reason: 'ToolIdle'; seconds: number } | { reason: 'TookTooLong'; seconds: number }

export type RunReason =
  | SkipReason
  | ServiceReason
  | DumpReason
  | DrillReason
  | StorageReason
  | LoadReason
  | NeedsReason
  | RestartReason
  | SpaceReason
  | DeadlineReason
  | { reason: 'Cancelled' }
  /** Berth ended `times` times during the run. */
  | { reason: 'InterruptedTooOften'; times: number }
  /** Berth was restored from a backup of its own state that was made during the run. */
  | { reason: 'InterruptedByRestore' }
  | { reason: 'EngineUnavailable'; detail: string }
  | { reason: 'EngineFailed'; detail: string }
  /** The dump is damaged or incomplete. */
  | { reason: 'ArchiveBroken'; detail: string }
  /** The backup of Berth's own state cannot be opened. */
  | { reason: 'StateUnreadable'; detail: string }
  | { reason: 'TooLarge'; detail: string }
  /** Any other error. */
  | { reason: 'Failed'; detail: string }
  /** Stored by an older version of Berth, which stored sentences. */
  | { reason: 'Legacy'; message: string }
