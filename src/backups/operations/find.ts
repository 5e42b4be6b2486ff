/** Reads the backup or the run that a caller names by its id, and refuses unknown ids. */
import { refuse } from '../../errors.ts'
import type { Reader } from '../../store/schema.ts'
import type { BackupRunTable, BackupTable } from '../table.ts'

/** Returns the backup of a database. Throws NOT_FOUND if it does not exist or is of Berth's own state. */
export async function findBackup(db: Reader, backupId: string): Promise<BackupTable> {
  const row = await db
    .selectFrom('backup')
    .selectAll()
    .where('id', '=', backupId)
    .where('subjectKind', '=', 'database')
    .executeTakeFirst()
  return row ?? refuse('NOT_FOUND', 'No backup with this id. backup.all lists all backups')
}

/** Returns a run of the backup. Throws NOT_FOUND if it does not exist or belongs to another backup. */
export async function findRun(db: Reader, backupId: string, runId: string): Promise<BackupRunTable> {
  const row = await db
    .selectFrom('backupRun')
    .selectAll()
    .where('id', '=', runId)
    .where('backupId', '=', backupId)
    .executeTakeFirst()
  return row ?? refuse('NOT_FOUND', 'No run of this backup with this id. backup.runs lists its runs')
}
