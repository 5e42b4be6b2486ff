/**
 * Queries on the marks of shrunk dumps. A dump is marked if its `holdsOlder` is 1. shrink.ts explains why dumps are
 * marked.
 */
import { sql } from 'kysely'
import type { BackupRunTable } from '../table.ts'
import type { Reader, Writer } from '../../store/schema.ts'

/**
 * Returns the dump that a new dump is compared with: the newest other good dump of the same database and backup that is
 * not marked. Safety dumps are left out.
 */
export function baselineOf(db: Reader, { id, backupId, databaseId, database }: BackupRunTable) {
  return db
    .selectFrom('backupRun')
    .select(['id', 'rowCount', 'rawBytes'])
    .where('backupId', '=', backupId)
    .where('databaseId', '=', databaseId)
    .where('database', '=', database)
    .where('action', '=', 'dump')
    .where('trigger', '!=', 'safety')
    .where('status', '=', 'done')
    .where('holdsOlder', '=', 0)
    .where('id', '!=', id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Removes the marks of one database's dumps in a backup. Call this after a dump that has not shrunk. */
export async function endShrink(
  tx: Writer,
  { backupId, databaseId, database }: Pick<BackupRunTable, 'backupId' | 'databaseId' | 'database'>,
): Promise<void> {
  await tx
    .updateTable('backupRun')
    .set({ holdsOlder: 0 })
    .where('backupId', '=', backupId)
    .where('holdsOlder', '=', sql.lit(1))
    .where('databaseId', '=', databaseId)
    .where('database', '=', database)
    .execute()
}

/** Removes the marks of all dumps of a backup, for all databases. */
export async function acceptShrinks(tx: Writer, backupId: string): Promise<void> {
  await tx
    .updateTable('backupRun')
    .set({ holdsOlder: 0 })
    .where('backupId', '=', backupId)
    .where('holdsOlder', '=', sql.lit(1))
    .execute()
}

/** A marked dump and the dump with which it was compared. */
export interface Shrink {
  /** The run of the marked dump. */
  runId: string
  /** The run of the dump with which the marked dump was compared. */
  shrunkFrom: string
}

/**
 * Returns the oldest marked dump of each backup. The keys are the ids of the backups.
 *
 * @param backupId limits the result to this backup
 */
export async function shrinksOf(db: Reader, backupId?: string): Promise<Map<string, Shrink>> {
  let rows = db
    .selectFrom('backupRun')
    .select(['id', 'backupId', 'shrunkFrom'])
    .where('holdsOlder', '=', sql.lit(1))
    // In the order of the index of marked dumps. With another order SQLite reads all runs.
    .orderBy('backupId', 'desc')
    .orderBy('id', 'desc')
  if (backupId !== undefined) rows = rows.where('backupId', '=', backupId)
  // The rows of a backup come newest first, and a later entry replaces an earlier one: the oldest of each backup remains.
  return new Map(
    (await rows.execute()).map(({ id: runId, backupId: id, shrunkFrom }) => [
      id ?? '',
      { runId, shrunkFrom: shrunkFrom ?? '' },
    ]),
  )
}
