/**
 * Safety dumps: where they are stored and when they are deleted. A restore makes a safety dump of its target before it
 * replaces the data. A safety dump belongs to no backup, so no metric, drill or retention rule of a backup includes it.
 */
import { insertRun } from '../run-queries.ts'
import type { BackupRunTable } from '../table.ts'
import type { Reader } from '../../store/schema.ts'
import type { Runtime } from '../../runtime.ts'
import { recordExpiredObject } from '../retention/expired.ts'

const dayMs = 24 * 3600_000
const batchSize = 100

/** Inserts the run of the safety dump and links it to the restore `row`. */
export async function beginSafetyDump(runtime: Runtime, row: BackupRunTable): Promise<BackupRunTable> {
  const { kind, databaseId, database } = row
  const destination = await destinationOf(runtime.db, row)
  const now = runtime.now()
  const safety = await runtime.transact(async (tx) => {
    const inserted = await insertRun(
      tx,
      {
        ...destination,
        kind,
        databaseId,
        database,
        id: runtime.newId(),
        action: 'dump',
        trigger: 'safety',
        status: 'running',
        startedAt: now.toISOString(),
      },
      now,
    )
    await tx.updateTable('backupRun').set({ safetyRunId: inserted.id }).where('id', '=', row.id).execute()
    return inserted
  })
  row.safetyRunId = safety.id
  return safety
}

/**
 * The destination and the recipient of the database's newest enabled backup. If there is no such backup, those of the
 * dump that is restored.
 */
async function destinationOf(
  db: Reader,
  row: BackupRunTable,
): Promise<Pick<BackupRunTable, 'destinationId' | 'recipient'>> {
  const backup = await db
    .selectFrom('backup')
    .select(['destinationId', 'recipient'])
    .where('databaseId', '=', row.databaseId)
    .where('enabled', '=', 1)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  const { destinationId, recipient } = backup ?? row
  return { destinationId, recipient }
}

/** The time at which a safety dump that ended at `now` expires, in ISO 8601. */
export const safetyDumpExpiry = ({ config }: Runtime, now: Date): string =>
  new Date(now.getTime() + config.safetyDumpDays * dayMs).toISOString()

/**
 * Removes the keys of expired safety dumps from their runs, and records the objects for deletion. Does nothing while
 * the clock is not trusted.
 */
export async function expireSafetyDumps(runtime: Pick<Runtime, 'db' | 'transact' | 'clock'>): Promise<void> {
  const now = runtime.clock.trusted()
  if (now === null) return
  const rows = await runtime.db
    .selectFrom('backupRun')
    .select(['id', 'key', 'destinationId'])
    .where('expiresAt', '<=', now.toISOString())
    .where('key', 'is not', null)
    .orderBy('expiresAt')
    .limit(batchSize)
    .execute()
  for (const { id, key, destinationId } of rows) {
    await runtime.transact(async (tx) => {
      await tx
        .updateTable('backupRun')
        .set({ key: null, manifest: null, privateProfile: null })
        .where('id', '=', id)
        .execute()
      await recordExpiredObject(tx, { key: key!, destinationId, backupId: '' }, now)
    })
  }
}
