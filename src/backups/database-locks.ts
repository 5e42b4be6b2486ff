/**
 * Who holds a database. Nothing is kept of it beside the rows of what goes on: dumps share a database; a restore, from
 * its safety dump on, and a move hold it alone.
 */
import type { BackupRunTable } from './table.ts'
import type { Reader, Writer } from '../store/schema.ts'

type Restore = Pick<BackupRunTable, 'id' | 'step'>

/** The restore into it that is open, at whatever step: there is one at most. */
function restoreInto(db: Reader, databaseId: string): Promise<Restore | undefined> {
  return db
    .selectFrom('backupRun')
    .select(['id', 'step'])
    .where('databaseId', '=', databaseId)
    .where('action', '=', 'restore')
    .where('finishedAt', 'is', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

/** The restore that holds it alone. */
export async function restoreHolding(db: Reader, databaseId: string): Promise<Restore | undefined> {
  const restore = await restoreInto(db, databaseId)
  return restore?.step === 'safety' || restore?.step === 'load' ? restore : undefined
}

/** Whether a dump has to wait. A restore that does not hold the database yet goes before dumps that begin later. */
export async function isClosedToDumps(db: Reader, databaseId: string): Promise<boolean> {
  return (await isBeingWorkedOn(db, databaseId)) || (await restoreInto(db, databaseId)) !== undefined
}

/** Whether a restore has to wait before it holds the database. */
export async function isClosedToRestores(db: Reader, databaseId: string): Promise<boolean> {
  return (
    (await isBeingWorkedOn(db, databaseId)) || (await dumpsOf(db, databaseId).limit(1).executeTakeFirst()) !== undefined
  )
}

/** Those that read it now end their present try, and begin it anew after the work. Gives whether there are any. */
export async function interruptDumps(tx: Writer, databaseId: string): Promise<boolean> {
  const dumps = await dumpsOf(tx, databaseId).execute()
  for (const { id } of dumps) {
    await tx.updateTable('backupRun').set({ interrupted: 1 }).where('id', '=', id).execute()
  }
  return dumps.length > 0
}

/** From their second step on they read the storage alone. A safety dump is a part of its restore. */
const dumpsOf = (db: Reader, databaseId: string) =>
  db
    .selectFrom('backupRun')
    .select('id')
    .where('databaseId', '=', databaseId)
    .where('action', '=', 'dump')
    .where('trigger', '!=', 'safety')
    .where('finishedAt', 'is', null)
    .where('status', '=', 'running')
    .where('step', '=', 'dump')

/** A move is work, too. What is being removed is not waited for: there will be nothing to dump. */
async function isBeingWorkedOn(db: Reader, databaseId: string): Promise<boolean> {
  const row = await db
    .selectFrom('database')
    .select('id')
    .where('id', '=', databaseId)
    .where('deploymentId', 'is not', null)
    .where('goal', '!=', 'gone')
    .executeTakeFirst()
  return row !== undefined
}
