/** Queries on the marks of shrunk dumps. See shrink.ts for their purpose. */
import { sql } from 'kysely'
import type { BackupRunTable } from '../table.ts'
import type { Reader, Writer } from '../../store/schema.ts'

/** The newest other good dump of the same database and backup that is not marked. */
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

/** Removes the marks of a database after a dump was large enough again. */
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

/** Removes the marks of all dumps of a backup, of any database. */
export async function acceptShrinks(tx: Writer, backupId: string): Promise<void> {
  await tx
    .updateTable('backupRun')
    .set({ holdsOlder: 0 })
    .where('backupId', '=', backupId)
    .where('holdsOlder', '=', sql.lit(1))
    .execute()
}

export interface Shrink {
  /** The first marked dump. */
  runId: string
  /** The run of the dump that it was compared with. */
  shrunkFrom: string
}

/**
 * The first marked dump of each backup, by the backup's id.
 * @param backupId limits the result to this backup
 */
export async function shrinksOf(db: Reader, backupId?: string): Promise<Map<string, Shrink>> {
  let rows = db
    .selectFrom('backupRun')
    .select(['id', 'backupId', 'shrunkFrom'])
    .where('holdsOlder', '=', sql.lit(1))
    .orderBy('id', 'desc')
  if (backupId !== undefined) rows = rows.where('backupId', '=', backupId)
  return new Map(
    (await rows.execute()).map(({ id: runId, backupId: id, shrunkFrom }) => [
      id ?? '',
      { runId, shrunkFrom: shrunkFrom ?? '' },
    ]),
  )
}
