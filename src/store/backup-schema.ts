/** The tables of backups: what is to be backed up when, and every run. Columns are named as the API names them. */
import type { Flag, Sealed, Time } from './schema.ts'

/** The kind of the one backup, with its runs, of Berth's own state: of no service, and for administrators. */
export const stateKind = 'state'

export interface BackupTable {
  id: string
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
  /** The age recipient that dumps are encrypted for; null: they are not. */
  recipient: string | null
  /** Called after each good run; null: nobody is told. */
  signalUrl: string | null
  createdAt: Time
  /** When it is due next; null while disabled. Kept in the store: a run that was missed is seen after a restart. */
  nextAt: Time | null
  nextVerifyAt: Time | null
}

/** A dump that the rules of retention let go, and whose object is yet to be deleted. */
export interface LapsedTable {
  key: string
  destinationId: string
  /** It may be removed meanwhile. */
  backupId: string
  since: Time
  /** Not before. */
  dueAt: Time
}

export type RunAction = 'dump' | 'verify' | 'restore'
export type RunStatus = 'waiting' | 'running' | 'done' | 'error' | 'skipped'
/**
 * Where a run is. dump: `dump` (made and sent), `check` (read back), `list` (the manifest). verify: `drill`.
 * restore: `prepare` (the service runs), `safety` (its own dump), `load`.
 */
export type RunStep = 'dump' | 'check' | 'list' | 'drill' | 'prepare' | 'safety' | 'load'

export interface BackupRunTable {
  id: string
  /** Null for one that belongs to no backup: a restore from a bare key. */
  backupId: string | null
  action: RunAction
  trigger: 'manual' | 'schedule' | 'safety'
  status: RunStatus
  step: RunStep
  /** 1, and one more for each time that it was tried again. */
  attempt: number
  /** Not before. */
  dueAt: Time
  reason: string | null
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
  /** JSON: what lies beside the object as well, see backup/manifest.ts. */
  manifest: string | null
  serverVersion: string | null
  recipient: string | null
  /** Of a verify or a restore: the run whose object it reads. */
  sourceRunId: string | null
  /** Of a restore into a service that was not empty: the dump made of it before. */
  safetyRunId: string | null
  /** Of a restore: a new service's name. */
  appName: string | null
  /** Of a restore of an encrypted dump: the age identity; null again when it has ended. */
  identity: Sealed | null
  /** Of a restore: the database cannot be read, so no dump is made of it. */
  skipSafetyDump: Flag
  /** Somebody asked that it end. */
  cancelled: Flag
  /** Of a dump: the last drill that was made of it; null: none. */
  verifiedAt: Time | null
  createdAt: Time
  startedAt: Time | null
  finishedAt: Time | null
}
