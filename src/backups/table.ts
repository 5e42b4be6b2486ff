/** The tables of backups, their runs, the identity and expired objects. Most columns have the names of API fields. */
import type { Json } from '../lib/json.ts'
import type { Flag, Sealed, Time } from '../store/column-types.ts'
import type { FindingSummary } from '../dumps/finding-summary.ts'
import type { RestoredData, RunReason } from '../dumps/run-reason.ts'
import type { Verification } from './runs/verification.ts'

/**
 * The subject of a backup: a database, or the installation, whose backup contains Berth's own state. There is at most
 * one backup of the state. Only administrators can access it and its runs.
 */
export type BackupSubject = 'database' | 'installation'

/**
 * The `recipient` of a backup whose dumps are encrypted for the identity of this installation (identity.ts). Runs store
 * the actual age recipient instead.
 */
export const installationRecipient = 'installation'

export interface BackupTable {
  id: string
  subjectKind: BackupSubject
  /** The kind of the database; `state` for Berth's own state. To tell the two apart, code reads `subjectKind`. */
  kind: string
  /** The id of the service. If the service was removed, the backup is disabled. '' for Berth's own state. */
  databaseId: string
  destinationId: string
  /** Cron expression with five fields, or a name such as @daily. */
  schedule: string
  timezone: string
  enabled: Flag
  prefix: string
  /** The name of the database within the server. */
  database: string
  /** Cron expression for drills; null: no scheduled drills. */
  verifySchedule: string | null
  keepLatest: number | null
  keepDays: number | null
  /** The age recipient that dumps are encrypted for, or `installation`; null: dumps are not encrypted. */
  recipient: string | null
  /** URL that is called after each good dump; null: none. */
  signalUrl: string | null
  createdAt: Time
  /** When the next dump is due; null while disabled. The stored time reveals a missed dump after a restart. */
  nextAt: Time | null
  /** When the next drill is due; null while disabled or not scheduled. */
  nextVerifyAt: Time | null
}

/** The age identity of this installation. The first export inserts the only row. */
export interface BackupIdentityTable {
  id: string
  /** The public age recipient of `identity`. */
  recipient: string
  identity: Sealed
  createdAt: Time
  /** When the identity was last exported; null: never. */
  exportedAt: Time | null
}

/** An object that Berth still has to delete: a dump that retention expired, or an expired safety dump. */
export interface ExpiredObjectTable {
  key: string
  destinationId: string
  /** The id of the backup, which may have been removed since. '' for a safety dump. */
  backupId: string
  /** When the object expired. */
  since: Time
  /** Berth does not try to delete the object before this time. */
  dueAt: Time
}

export const runActions = ['dump', 'verify', 'restore'] as const
export type RunAction = (typeof runActions)[number]
export type RunStatus = 'waiting' | 'running' | 'done' | 'error' | 'skipped'
/**
 * The current step of a run.
 * dump: `dump` (create and upload), `check` (read back), `list` (upload the manifest). verify: `drill`.
 * restore: `prepare` (wait for the service), `safety` (safety dump), `load` (stored before the first byte is loaded).
 */
export type RunStep = 'dump' | 'check' | 'list' | 'drill' | 'prepare' | 'safety' | 'load'

/** Why a restore makes no safety dump: it creates the service, the caller declined, or the target is empty. */
export const noSafetyReasons = ['NewService', 'NotWanted', 'TargetEmpty'] as const
export type NoSafetyReason = (typeof noSafetyReasons)[number]

export interface BackupRunTable {
  id: string
  /** Null for a run that belongs to no backup: a safety dump, or a restore by `destinationId` and `key`. */
  backupId: string | null
  action: RunAction
  trigger: 'manual' | 'schedule' | 'safety'
  status: RunStatus
  step: RunStep
  /** Number of the current attempt, from 1. */
  attempt: number
  /** The number of starts since the run last waited. Berth was killed during each of them but the present one. */
  unfinishedStarts: number
  /** The run does not start before this time. Failed dump with a `key`: when Berth next tries to delete the data. */
  dueAt: Time
  /** Why the run waits, failed or was skipped, or the result of a drill. */
  reason: Json<RunReason> | null
  subjectKind: BackupSubject
  /** See BackupTable. */
  kind: string
  /** The service that is dumped or restored into. Verify: the service whose dump is verified. */
  databaseId: string | null
  database: string
  destinationId: string
  /** Key of the object; null before it is known, and after the object expired or was deleted. */
  key: string | null
  /** Id of the multipart upload under way; null: none. */
  uploadId: string | null
  /** Size of the object, as stored. */
  sizeBytes: number | null
  /** Checksum of the object, as stored. */
  sha256: string | null
  /** Bytes transferred so far. */
  progressBytes: number
  /** Size of the dump before compression. */
  rawBytes: number | null
  /** Good dump: rows in all tables and collections; null: not counted. */
  rowCount: number | null
  /** Good dump: what a person should know about it (dumps/finding-summary.ts); null: nothing. */
  findings: Json<FindingSummary> | null
  /** Shrunk dump: the id of the earlier good dump that it was compared with. See retention/shrink.ts. */
  shrunkFrom: string | null
  /** 1: this dump shrank and is marked, so retention keeps all dumps before the oldest marked one. See retention/shrink.ts. */
  holdsOlder: Flag
  /**
   * The manifest as JSON (dumps/manifest.ts). Dump: null until the upload ends, and after the dump failed or expired.
   * Restore: the manifest of the dump that is read; null after the restore has ended.
   */
  manifest: string | null
  /** Dump, restore: see private-profile.ts. Null before the upload ended, and after the dump failed or expired. */
  privateProfile: Sealed | null
  serverVersion: string | null
  /** The age recipient of the object; null: the object is not encrypted. */
  recipient: string | null
  /** Verify or restore: the run whose object is read. */
  sourceRunId: string | null
  /** Restore: the run of the safety dump. */
  safetyRunId: string | null
  /** Restore: the name of the service. */
  appName: string | null
  /** Restore of an encrypted dump: the age identity that the caller gave. Null after the run has ended. */
  identity: Sealed | null
  /** Restore: why no safety dump is made; null: one is made. */
  safety: NoSafetyReason | null
  /**
   * Restore into an existing database, after the step `load` began: whether the database has its previous data or that of
   * the dump. Null: not known yet, or nothing was loaded.
   */
  data: Exclude<RestoredData, 'unknown'> | null
  /** Restore at the step `load`: what identifies the data that it replaces, such as the id of the volume. */
  dataBefore: string | null
  /** Restore that replaces the volume of the database: the deployment that does this. */
  deploymentId: string | null
  /** Restore: 1 if it leaves out the views that need databases which the service does not have. */
  withoutNeeds: Flag
  /** A caller cancelled the run. */
  cancelled: Flag
  /** Dump: work on its service has begun. The run waits and starts again; the interruption uses no attempt. */
  interrupted: Flag
  /** Good safety dump: when its object is deleted. */
  expiresAt: Time | null
  /** Dump: the result of the last drill that ended (runs/verification.ts); null: none. */
  verification: Json<Verification> | null
  /** Dump: when a drill last succeeded; null: never. */
  verifiedAt: Time | null
  createdAt: Time
  startedAt: Time | null
  finishedAt: Time | null
}
