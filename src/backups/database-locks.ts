/**
 * Locks on databases. No lock is stored: the rows of open runs and deployments determine whether a database is locked.
 * Several dumps can use a database at the same time. A deployment, a move and a restore (from its safety dump on) use
 * the database exclusively.
 */
import type { BackupRunTable } from './table.ts'
import type { Reader, Writer } from '../store/schema.ts'

type Restore = Pick<BackupRunTable, 'id' | 'step'>

/** The open restore into the database, at any step. A database has at most one. */
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

/** The restore that locks the database exclusively, if there is one. */
export async function lockingRestore(db: Reader, databaseId: string): Promise<Restore | undefined> {
  const restore = await restoreInto(db, databaseId)
  return restore?.step === 'safety' || restore?.step === 'load' ? restore : undefined
}

/**
 * Whether a new dump of the database has to wait for a deployment, a move or a restore. An open restore has priority
 * over new dumps even before it locks the database.
 */
export async function isClosedToDumps(db: Reader, databaseId: string): Promise<boolean> {
  return (await isBeingWorkedOn(db, databaseId)) || (await restoreInto(db, databaseId)) !== undefined
}

/**
 * Whether the database is, or was since `since`, the target of a restore. Then what was read since is not of one state.
 *
 * @param since ISO 8601
 */
export async function wasRestoredSince(db: Reader, databaseId: string, since: string): Promise<boolean> {
  const restore = await db
    .selectFrom('backupRun')
    .select('id')
    .where('databaseId', '=', databaseId)
    .where('action', '=', 'restore')
    .where((eb) => eb.or([eb('finishedAt', 'is', null), eb('finishedAt', '>=', since)]))
    .limit(1)
    .executeTakeFirst()
  return restore !== undefined
}

/** Whether a restore has to wait before it can lock the database. */
export async function isClosedToRestores(db: Reader, databaseId: string): Promise<boolean> {
  return (
    (await isBeingWorkedOn(db, databaseId)) || (await dumpsOf(db, databaseId).limit(1).executeTakeFirst()) !== undefined
  )
}

/**
 * Marks the dumps that read the database now as interrupted. The loop (loop.ts) aborts them. Each dump starts its
 * attempt again after the work on the database.
 * @returns whether a dump was marked
 */
export async function interruptDumps(tx: Writer, databaseId: string): Promise<boolean> {
  const dumps = await dumpsOf(tx, databaseId).execute()
  for (const { id } of dumps) {
    await tx.updateTable('backupRun').set({ interrupted: 1 }).where('id', '=', id).execute()
  }
  return dumps.length > 0
}

/**
 * The dumps that read the database now. Later steps of a dump read only the storage. Safety dumps are left out, because
 * each is part of its restore.
 */
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

/** Whether a deployment or a move is under way. A removal does not count, because it leaves nothing to dump. */
export async function isBeingWorkedOn(db: Reader, databaseId: string): Promise<boolean> {
  const row = await db
    .selectFrom('database')
    .select('id')
    .where('id', '=', databaseId)
    .where('deploymentId', 'is not', null)
    .where('goal', '!=', 'gone')
    .executeTakeFirst()
  return row !== undefined
}
