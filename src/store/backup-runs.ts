/** Runs of backups: how one begins, and which are open. Knows neither who asks nor how it is done. */
import type { BackupRunTable, BackupTable, RunStep } from './backup-schema.ts'
import type { Reader, Writer } from './schema.ts'

/** A run that has just been asked for. */
const fresh = {
  status: 'waiting', attempt: 1, reason: null, key: null, uploadId: null, sizeBytes: null, sha256: null,
  progressBytes: 0, rawBytes: null, manifest: null, serverVersion: null, recipient: null, sourceRunId: null,
  safetyRunId: null, appName: null, identity: null, skipSafetyDump: 0, cancelled: 0, verifiedAt: null, startedAt: null,
  finishedAt: null,
} as const satisfies Partial<BackupRunTable>

type Given = Pick<BackupRunTable, 'id' | 'action' | 'trigger' | 'kind' | 'databaseId' | 'database' | 'destinationId'>
  & Partial<BackupRunTable>

const firstStep: Record<BackupRunTable['action'], RunStep> = { dump: 'dump', verify: 'drill', restore: 'prepare' }

export async function insertRun(tx: Writer, given: Given, now: Date): Promise<BackupRunTable> {
  const at = now.toISOString()
  const row: BackupRunTable =
    { ...fresh, backupId: null, step: firstStep[given.action], dueAt: at, createdAt: at, ...given }
  await tx.insertInto('backupRun').values(row).execute()
  return row
}

/** What a run takes over from its backup. */
export const ofBackup = ({ id, kind, databaseId, database, destinationId, recipient }: BackupTable) =>
  ({ backupId: id, kind, databaseId, database, destinationId, recipient })

/** The run of that backup that is under way: there is one at most. */
export function openRunOf(db: Reader, backupId: string): Promise<BackupRunTable | undefined> {
  return db.selectFrom('backupRun').selectAll().where('backupId', '=', backupId)
    .where('status', 'in', ['waiting', 'running']).orderBy('id').limit(1).executeTakeFirst()
}

/** The newest dump of it that is good. */
export function lastGoodOf(db: Reader, backupId: string): Promise<BackupRunTable | undefined> {
  return db.selectFrom('backupRun').selectAll().where('backupId', '=', backupId).where('action', '=', 'dump')
    .where('status', '=', 'done').orderBy('id', 'desc').limit(1).executeTakeFirst()
}
