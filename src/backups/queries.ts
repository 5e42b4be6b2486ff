/** Queries on the table `backup`. The queries on runs are in run-queries.ts. */
import { forgetRuns } from './run-queries.ts'
import type { BackupTable } from './table.ts'
import type { Writer } from '../store/schema.ts'

export async function insertBackup(tx: Writer, backup: BackupTable): Promise<void> {
  await tx.insertInto('backup').values(backup).execute()
}

export async function updateBackup(tx: Writer, backup: BackupTable): Promise<void> {
  await tx.updateTable('backup').set(backup).where('id', '=', backup.id).execute()
}

/** Sets when the next dump (`nextAt`) or drill (`nextVerifyAt`) is due; null: never. */
export async function setDue(tx: Writer, id: string, due: 'nextAt' | 'nextVerifyAt', at: string | null): Promise<void> {
  await tx
    .updateTable('backup')
    .set({ [due]: at })
    .where('id', '=', id)
    .execute()
}

/** Deletes the backup and its runs. A failed dump is kept until its uploaded data is deleted. */
export async function deleteBackup(tx: Writer, id: string): Promise<void> {
  await forgetRuns(tx, id)
  await tx.deleteFrom('backup').where('id', '=', id).execute()
}

/** Disables the backups of a removed database. They are kept because their dumps may be the last copy of the data. */
export async function disableBackupsOf(tx: Writer, databaseId: string): Promise<void> {
  await tx
    .updateTable('backup')
    .set({ enabled: 0, nextAt: null, nextVerifyAt: null })
    .where('databaseId', '=', databaseId)
    .execute()
}
