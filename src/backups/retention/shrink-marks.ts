/** Marks of dumps that hold drastically less than those before, see backups/retention/shrink.ts for what they are good for. */
import { sql } from 'kysely'
import type { BackupRunTable } from '../table.ts'
import type { Reader, Writer } from '../../store/schema.ts'

/** The newest good dump of the same database by the same backup that is not marked. */
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

/** A dump of the same database has enough again: what was marked before holds nothing any more. */
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

/** Whatever database the dumps of that backup are of. */
export async function acceptShrinks(tx: Writer, backupId: string): Promise<void> {
  await tx
    .updateTable('backupRun')
    .set({ holdsOlder: 0 })
    .where('backupId', '=', backupId)
    .where('holdsOlder', '=', sql.lit(1))
    .execute()
}

export interface Shrink {
  runId: string
  shrunkFrom: string
}

/** By backup the first dump whose mark still holds, with what was compared; of all backups, or of one. */
export async function shrinksOf(db: Reader, backupId?: string): Promise<Map<string, Shrink>> {
  let rows = db
    .selectFrom('backupRun')
    .select(['id', 'backupId', 'shrunkFrom'])
    .where('holdsOlder', '=', sql.lit(1))
    .orderBy('id', 'desc')
  if (backupId !== undefined) rows = rows.where('backupId', '=', backupId)
  return new Map(
    (await rows.execute()).map(({ id, backupId: of, shrunkFrom }) => [
      of ?? '',
      { runId: id, shrunkFrom: shrunkFrom ?? '' },
    ]),
  )
}
