/** The tables of backups: what is to be backed up when, and every run. Columns are named as the API names them. */
import type { Json } from '../lib/json.ts'
import type { Flag, Sealed, Time } from '../store/column-types.ts'
import type { RunReason } from '../dumps/run-reason.ts'

/**
 * What is backed up: a database, or Berth's own state, which belongs to the installation. There is one backup of the
 * state; it and its runs are for administrators.
 */
export type BackupSubject = 'database' | 'installation'

/** As the recipient of a backup: the installation's own, see backup-identity.ts. Runs hold that itself. */
export const installationRecipient = 'installation'

export interface BackupTable {
  id: string
  subjectKind: BackupSubject
  /** The kind of the database; `state` for Berth's own state. Decisions read `subjectKind`. */
  kind: string
  /** The service; it may be gone, and the backup is then disabled. '' for Berth's own state. */
  databaseId: string
  destinationId: string
  /** Cron, five fields. */
  schedule: string
  timezone: string
  enabled: Flag
  prefix: string
  /** The name of the database within the server. */
  database: string
  /** Cron; null: no drills by themselves. */
  verifySchedule: string | null
  keepLatest: number | null
  keepDays: number | null
  /** The age recipient that dumps are encrypted for, or `installation`; null: they are not. */
  recipient: string | null
  /** Called after each good run; null: nobody is told. */
  signalUrl: string | null
  createdAt: Time
  /** When it is due next; null while disabled. Kept in the store: a run that was missed is seen after a restart. */
  nextAt: Time | null
  nextVerifyAt: Time | null
}

/** The age identity of this installation: one row, once it was first asked for. */
export interface BackupIdentityTable {
  id: string
  /** The public half. */
  recipient: string
  identity: Sealed
  createdAt: Time
  /** When it was last written out to be kept elsewhere; null: never. */
  exportedAt: Time | null
}

/** A dump that the rules of retention let go, or a safety dump that expired, and whose object is yet to be deleted. */
export interface ExpiredObjectTable {
  key: string
  destinationId: string
  /** It may be removed meanwhile. '' of a safety dump. */
  backupId: string
  since: Time
  /** Not before. */
  dueAt: Time
}

export type RunAction = 'dump' | 'verify' | 'restore'
export type RunStatus = 'waiting' | 'running' | 'done' | 'error' | 'skipped'
/**
 * Where a run is. dump: `dump` (made and sent), `check` (read back), `list` (the manifest). verify: `drill`.
 * restore: `prepare` (the service runs), `safety` (its own dump), `load` (stored before the first byte is loaded).
 */
export type RunStep = 'dump' | 'check' | 'list' | 'drill' | 'prepare' | 'safety' | 'load'

/** Why a restore makes no safety dump: it makes the service itself, nobody wants one, or the target holds nothing. */
export const noSafety = ['NewService', 'NotWanted', 'TargetEmpty'] as const
export type NoSafety = (typeof noSafety)[number]

export interface BackupRunTable {
  id: string
  /** Null for one that belongs to no backup: a safety dump, a restore from a bare key. */
  backupId: string | null
  action: RunAction
  trigger: 'manual' | 'schedule' | 'safety'
  status: RunStatus
  step: RunStep
  /** 1, and one more for each time that it was tried again. */
  attempt: number
  /** Starts of which nothing is known but that they were made: a Berth died during each of them. */
  unfinishedStarts: number
  /** Not before. */
  dueAt: Time
  /** Why it waits, failed or was skipped, or the result of a drill. */
  reason: Json<RunReason> | null
  subjectKind: BackupSubject
  /** As in BackupTable. */
  kind: string
  /** What is dumped, or restored into; null: a service that is yet to be made. */
  databaseId: string | null
  database: string
  destinationId: string
  /** Of the object; null before it is known. */
  key: string | null
  /** Of the multipart upload under way. */
  uploadId: string | null
  /** Of the object, as it is stored. */
  sizeBytes: number | null
  sha256: string | null
  /** What has passed so far, and of what the tool gave. */
  progressBytes: number
  rawBytes: number | null
  /** Of a good dump: in all tables and collections; null: not counted. */
  rowCount: number | null
  /** Of a dump that held drastically less: the good dump before that it was compared with. See backups/retention/shrink.ts. */
  shrunkFrom: string | null
  /** Such a one, which nobody has accepted and after which none has had enough: retention keeps all before it. */
  holdsOlder: Flag
  /** JSON: what lies beside the object as well, see dumps/manifest.ts. */
  manifest: string | null
  serverVersion: string | null
  /** The age recipient of the object; null: it is not encrypted. */
  recipient: string | null
  /** Of a verify or a restore: the run whose object it reads. */
  sourceRunId: string | null
  /** Of a restore into a service that was not empty: the dump made of it before. */
  safetyRunId: string | null
  /** Of a restore: a new service's name. */
  appName: string | null
  /** Of a restore of an encrypted dump: the age identity; null again when it has ended. */
  identity: Sealed | null
  /** Of a restore: why no dump is made of the database before; null: one is made. */
  safety: NoSafety | null
  /** Somebody asked that it end. */
  cancelled: Flag
  /** Of a dump: work on its service has begun. The try ends, and the next one does not count as another. */
  interrupted: Flag
  /** Of a good safety dump: when its object is deleted. */
  expiresAt: Time | null
  /** Of a dump: the last drill that was made of it; null: none. */
  verifiedAt: Time | null
  createdAt: Time
  startedAt: Time | null
  finishedAt: Time | null
}
