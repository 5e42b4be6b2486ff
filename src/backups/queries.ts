/** Backups: what is backed up, when and where to. Their runs are in backup-runs.ts. */
import { forgetRuns } from './run-queries.ts'
import type { BackupTable } from './table.ts'
import type { Writer } from '../store/schema.ts'

export async function insertBackup(tx: Writer, backup: BackupTable): Promise<void> {
  await tx.insertInto('backup').values(backup).execute()
}

export async function updateBackup(tx: Writer, backup: BackupTable): Promise<void> {
  await tx.updateTable('backup').set(backup).where('id', '=', backup.id).execute()
}

/** Sets when the next run is due. */
export async function setDue(tx: Writer, id: string, due: 'nextAt' | 'nextVerifyAt', at: string | null): Promise<void> {
  await tx
    .updateTable('backup')
    .set({ [due]: at })
    .where('id', '=', id)
    .execute()
}

/** Deletes the backup and the list of its runs. */
export async function deleteBackup(tx: Writer, id: string): Promise<void> {
  await forgetRuns(tx, id)
  await tx.deleteFrom('backup').where('id', '=', id).execute()
}

/** Ends the schedules of a database that is removed. The backups stay: the dumps in the bucket are the last copy. */
export async function disableBackupsOf(tx: Writer, databaseId: string): Promise<void> {
  await tx
    .updateTable('backup')
    .set({ enabled: 0, nextAt: null, nextVerifyAt: null })
    .where('databaseId', '=', databaseId)
    .execute()
}
