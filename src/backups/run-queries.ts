/** Runs of backups: how one begins, and which are open. Knows neither who asks nor how it is done. */
import { sql } from 'kysely'
import { toJson } from '../lib/json.ts'
import { findIdentity } from './identity.ts'
import { type BackupRunTable, type BackupTable, installationRecipient, type RunStep } from './table.ts'
import type { RunReason } from '../dumps/run-reason.ts'
import type { Reader, Writer } from '../store/schema.ts'

/** All but the manifest, which may be large, and the identity. */
export type RunSummary = Omit<BackupRunTable, 'manifest' | 'identity'>

/** What lists of runs select. */
export const summaryColumns = [
  'id',
  'backupId',
  'action',
  'trigger',
  'status',
  'step',
  'attempt',
  'unfinishedStarts',
  'dueAt',
  'reason',
  'subjectKind',
  'kind',
  'databaseId',
  'database',
  'destinationId',
  'key',
  'uploadId',
  'sizeBytes',
  'sha256',
  'progressBytes',
  'rawBytes',
  'rowCount',
  'shrunkFrom',
  'holdsOlder',
  'serverVersion',
  'recipient',
  'sourceRunId',
  'safetyRunId',
  'appName',
  'safety',
  'cancelled',
  'interrupted',
  'expiresAt',
  'verifiedAt',
  'createdAt',
  'startedAt',
  'finishedAt',
] as const satisfies readonly (keyof RunSummary)[]

/** A run that has just been asked for. */
const fresh = {
  subjectKind: 'database',
  status: 'waiting',
  attempt: 1,
  unfinishedStarts: 0,
  reason: null,
  key: null,
  uploadId: null,
  sizeBytes: null,
  sha256: null,
  progressBytes: 0,
  rawBytes: null,
  rowCount: null,
  shrunkFrom: null,
  holdsOlder: 0,
  manifest: null,
  serverVersion: null,
  recipient: null,
  sourceRunId: null,
  safetyRunId: null,
  appName: null,
  identity: null,
  safety: null,
  cancelled: 0,
  interrupted: 0,
  expiresAt: null,
  verifiedAt: null,
  startedAt: null,
  finishedAt: null,
} as const satisfies Partial<BackupRunTable>

type Given = Pick<BackupRunTable, 'id' | 'action' | 'trigger' | 'kind' | 'databaseId' | 'database' | 'destinationId'> &
  Partial<BackupRunTable>

const firstStep: Record<BackupRunTable['action'], RunStep> = { dump: 'dump', verify: 'drill', restore: 'prepare' }

export async function insertRun(tx: Writer, given: Given, now: Date): Promise<BackupRunTable> {
  const at = now.toISOString()
  const row: BackupRunTable = {
    ...fresh,
    backupId: null,
    step: firstStep[given.action],
    dueAt: at,
    createdAt: at,
    ...given,
    recipient: await recipientOf(tx, given.recipient ?? null),
  }
  await tx.insertInto('backupRun').values(row).execute()
  return row
}

/** A backup may say `installation`; whoever opens a dump later needs to know for whom it is. */
async function recipientOf(tx: Writer, recipient: string | null): Promise<string | null> {
  if (recipient !== installationRecipient) return recipient
  // Without an identity, which no call leaves behind, this run fails when it encrypts, and no other does.
  return (await findIdentity(tx))?.recipient ?? recipient
}

/** What a run takes over from its backup. */
export const ofBackup = ({ id, subjectKind, kind, databaseId, database, destinationId, recipient }: BackupTable) => ({
  backupId: id,
  subjectKind,
  kind,
  databaseId,
  database,
  destinationId,
  recipient,
})

/** The run of that backup that is under way: there is one at most. */
export function openRunOf(db: Reader, backupId: string): Promise<RunSummary | undefined> {
  return db
    .selectFrom('backupRun')
    .select(summaryColumns)
    .where('backupId', '=', backupId)
    .where('finishedAt', 'is', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

/** Failed dumps that have left something, and whose time has come. `finishedAt`: of the run itself. */
export function leftRuns(db: Reader, now: Date, most: number): Promise<RunSummary[]> {
  // As they stand in the index, which parameters would not match.
  return db
    .selectFrom('backupRun')
    .select(summaryColumns)
    .where('status', '=', sql.lit('error'))
    .where('action', '=', sql.lit('dump'))
    .where('key', 'is not', null)
    .where('dueAt', '<=', now.toISOString())
    .where('destinationId', 'in', (from) => from.selectFrom('destination').select('id'))
    .orderBy('dueAt')
    .limit(most)
    .execute()
}

/** The newest dump of it that is good. */
export function lastGoodOf(db: Reader, backupId: string): Promise<BackupRunTable | undefined> {
  return db
    .selectFrom('backupRun')
    .selectAll()
    .where('backupId', '=', backupId)
    .where('action', '=', 'dump')
    .where('status', '=', 'done')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Ends all runs that have not ended, with what they would have left in a bucket forgotten. */
export async function failOpenRuns(tx: Writer, reason: RunReason, now: Date): Promise<void> {
  const ended = { status: 'error', reason: toJson(reason), finishedAt: now.toISOString() } as const
  await tx
    .updateTable('backupRun')
    .set({ ...ended, key: null, uploadId: null, identity: null })
    .where('status', 'in', ['waiting', 'running'])
    .execute()
}

/** The runs of a backup that is removed; a failed dump is kept until what it has sent is taken back. */
export async function forgetRuns(tx: Writer, backupId: string): Promise<void> {
  await tx
    .deleteFrom('backupRun')
    .where('backupId', '=', backupId)
    .where((is) => is.or([is('status', '!=', 'error'), is('action', '!=', 'dump'), is('key', 'is', null)]))
    .execute()
}

const summaryMs = 400 * 24 * 3600_000

/** Summaries of runs go in time; a dump that exists keeps its own, with its manifest. */
export async function forgetOldRuns(tx: Writer, now: Date): Promise<void> {
  await tx
    .deleteFrom('backupRun')
    .where('finishedAt', '<', new Date(now.getTime() - summaryMs).toISOString())
    .where((is) => is.or([is('action', '!=', 'dump'), is('key', 'is', null)]))
    .execute()
}
