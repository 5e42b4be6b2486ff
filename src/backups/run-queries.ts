/** Queries on the table `backupRun`: insert, find, end and delete runs. */
import { sql } from 'kysely'
import type { EndedWork } from '../deployments/waiters.ts'
import { toJson } from '../lib/json.ts'
import { findIdentity } from './identity.ts'
import { type BackupRunTable, type BackupTable, installationRecipient, type RunStep } from './table.ts'
import { runReasonAnswer } from '../dumps/run-reason-message.ts'
import type { RunReason } from '../dumps/run-reason.ts'
import type { Reader, Writer } from '../store/schema.ts'

/** A run without its manifest, which may be large, and without its identity and private profile, which are secret. */
export type RunSummary = Omit<BackupRunTable, 'manifest' | 'identity' | 'privateProfile'>

/** The columns of a RunSummary. */
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
  'findings',
  'shrunkFrom',
  'holdsOlder',
  'serverVersion',
  'recipient',
  'sourceRunId',
  'safetyRunId',
  'appName',
  'safety',
  'data',
  'dataBefore',
  'deploymentId',
  'cancelled',
  'interrupted',
  'withoutNeeds',
  'expiresAt',
  'verification',
  'verifiedAt',
  'createdAt',
  'startedAt',
  'finishedAt',
] as const satisfies readonly (keyof RunSummary)[]

/** The initial values of columns in a new run. */
const initialColumns = {
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
  findings: null,
  shrunkFrom: null,
  holdsOlder: 0,
  manifest: null,
  privateProfile: null,
  serverVersion: null,
  recipient: null,
  sourceRunId: null,
  safetyRunId: null,
  appName: null,
  identity: null,
  safety: null,
  data: null,
  dataBefore: null,
  deploymentId: null,
  cancelled: 0,
  interrupted: 0,
  withoutNeeds: 0,
  expiresAt: null,
  verification: null,
  verifiedAt: null,
  startedAt: null,
  finishedAt: null,
} as const satisfies Partial<BackupRunTable>

type NewRun = Pick<BackupRunTable, 'id' | 'action' | 'trigger' | 'kind' | 'databaseId' | 'database' | 'destinationId'> &
  Partial<BackupRunTable>

const firstStep: Record<BackupRunTable['action'], RunStep> = { dump: 'dump', verify: 'drill', restore: 'prepare' }

/**
 * Inserts a run that is due now.
 * @param columns the columns that differ from `initialColumns`; the recipient `installation` is replaced by the actual
 *   age recipient
 */
export async function insertRun(tx: Writer, columns: NewRun, now: Date): Promise<BackupRunTable> {
  const at = now.toISOString()
  const row: BackupRunTable = {
    ...initialColumns,
    backupId: null,
    step: firstStep[columns.action],
    dueAt: at,
    createdAt: at,
    ...columns,
    recipient: await recipientOf(tx, columns.recipient ?? null),
  }
  await tx.insertInto('backupRun').values(row).execute()
  return row
}

/**
 * Replaces the recipient `installation` by the actual age recipient. To decrypt the dump later, Berth has to know it.
 */
async function recipientOf(tx: Writer, recipient: string | null): Promise<string | null> {
  if (recipient !== installationRecipient) return recipient
  // Calls refuse this recipient without an identity. If the identity is missing all the same, only this run fails.
  return (await findIdentity(tx))?.recipient ?? recipient
}

/** The columns that a run copies from its backup. */
export const runColumnsOf = ({
  id,
  subjectKind,
  kind,
  databaseId,
  database,
  destinationId,
  recipient,
}: BackupTable) => ({ backupId: id, subjectKind, kind, databaseId, database, destinationId, recipient })

/** The open run of a backup. There is at most one. */
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

/** Failed dumps that may have left data in the bucket and whose cleanup is due; at most `max`, the earliest first. */
export function failedDumpsToCleanUp(db: Reader, now: Date, max: number): Promise<RunSummary[]> {
  // SQLite uses the partial index only if the query repeats the condition of the index with literals, not parameters.
  return db
    .selectFrom('backupRun')
    .select(summaryColumns)
    .where('status', '=', sql.lit('error'))
    .where('action', '=', sql.lit('dump'))
    .where('key', 'is not', null)
    .where('dueAt', '<=', now.toISOString())
    .where('destinationId', 'in', (from) => from.selectFrom('destination').select('id'))
    .orderBy('dueAt')
    .limit(max)
    .execute()
}

/**
 * The newest good dump of a backup. With `lastGoodOfDatabase`, the only place that says which dump is the newest. It is
 * never a safety dump: that holds the data that a restore replaced, and belongs to no backup.
 */
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

/** The newest good dump of all backups of a database whose object exists. */
export function lastGoodOfDatabase(db: Reader, databaseId: string): Promise<BackupRunTable | undefined> {
  return db
    .selectFrom('backupRun')
    .selectAll()
    .where('id', 'in', (from) =>
      from
        .selectFrom('backup')
        .where('databaseId', '=', databaseId)
        .select((of) =>
          // The newest of each backup is one step in the index of good dumps.
          of
            .selectFrom('backupRun as run')
            .select('run.id')
            .whereRef('run.backupId', '=', 'backup.id')
            .where('run.action', '=', 'dump')
            .where('run.status', '=', 'done')
            .where('run.key', 'is not', null)
            .orderBy('run.id', 'desc')
            .limit(1)
            .as('newest'),
        ),
    )
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/**
 * The last restore that replaced the data of this database, or that may have replaced a part of it: a failed one of an older
 * version of Berth.
 */
export function lastReplacement(db: Reader, databaseId: string): Promise<RunSummary | undefined> {
  // With literals, because the index is partial.
  return db
    .selectFrom('backupRun')
    .select(summaryColumns)
    .where('databaseId', '=', databaseId)
    .where('action', '=', sql.lit('restore'))
    .where('step', '=', sql.lit('load'))
    .where((eb) => eb.or([eb('safety', 'is', null), eb('safety', '!=', 'NewService')]))
    .where((eb) => eb.or([eb('data', 'is', null), eb('data', '=', 'replaced')]))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** A run by its id. */
export const runSummary = (db: Reader, id: string): Promise<RunSummary | undefined> =>
  db.selectFrom('backupRun').select(summaryColumns).where('id', '=', id).executeTakeFirst()

/**
 * Ends all open runs with an error. The data that they uploaded stays in the bucket, and Berth keeps no record of it.
 */
export async function failOpenRuns(tx: Writer, reason: RunReason, now: Date): Promise<void> {
  const ended = { status: 'error', reason: toJson(reason), finishedAt: now.toISOString() } as const
  await tx
    .updateTable('backupRun')
    .set({ ...ended, key: null, uploadId: null, identity: null })
    .where('status', 'in', ['waiting', 'running'])
    .execute()
}

/** Deletes the runs of a removed backup. A failed dump is kept until its uploaded data is deleted. */
export async function forgetRuns(tx: Writer, backupId: string): Promise<void> {
  await tx
    .deleteFrom('backupRun')
    .where('backupId', '=', backupId)
    .where((eb) => eb.or([eb('status', '!=', 'error'), eb('action', '!=', 'dump'), eb('key', 'is', null)]))
    .execute()
}

const summaryRetentionMs = 400 * 24 * 3600_000

/** Deletes runs that ended more than 400 days ago. A dump with a key is kept, because its object may exist. */
export async function forgetOldRuns(tx: Writer, now: Date): Promise<void> {
  await tx
    .deleteFrom('backupRun')
    .where('finishedAt', '<', new Date(now.getTime() - summaryRetentionMs).toISOString())
    .where((eb) => eb.or([eb('action', '!=', 'dump'), eb('key', 'is', null)]))
    .execute()
}

/** Returns the runs among `ids` that have ended. */
export async function findEndedRuns(db: Reader, ids: string[]): Promise<EndedWork[]> {
  const rows = await db
    .selectFrom('backupRun')
    .select(['id', 'status', 'reason'])
    .where('id', 'in', ids)
    .where('finishedAt', 'is not', null)
    .execute()
  return rows.map(({ id, status, reason }) => ({
    id,
    ...runReasonAnswer(reason),
    state: status === 'done' ? 'done' : 'error',
  }))
}
