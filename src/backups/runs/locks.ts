/** Locks a database in the transaction that starts a run or its next step. Waiting for a lock uses no attempt. */
import type { BackupRunTable } from '../table.ts'
import { isClosedToDumps, isClosedToRestores } from '../database-locks.ts'
import type { Runtime } from '../../runtime.ts'
import type { RunContext } from './run.ts'

/** How long a run waits before it tries to lock the database again. */
export const lockRetryMs = 2000

/** The database is locked by other work; the run has to wait. */
export class DatabaseLocked extends Error {}

/**
 * Stores `patch` in the run. A dump of a locked database is set to wait instead.
 * @returns whether the run may start
 */
export function startIfUnlocked(
  runtime: Runtime,
  row: BackupRunTable,
  patch: Partial<BackupRunTable>,
): Promise<boolean> {
  const { id, action, step, databaseId, cancelled } = row
  const needsDatabase = action === 'dump' && step === 'dump' && databaseId !== null && cancelled === 0
  return runtime.transact(async (tx) => {
    const isLocked = needsDatabase && (await isClosedToDumps(tx, databaseId))
    const dueAt = new Date(runtime.now().getTime() + lockRetryMs).toISOString()
    const change = isLocked ? ({ status: 'waiting', dueAt, interrupted: 0 } as const) : patch
    await tx.updateTable('backupRun').set(change).where('id', '=', id).execute()
    return !isLocked
  })
}

/**
 * Locks the database for a restore by setting the step `safety`. Throws DatabaseLocked if other work locks the
 * database.
 */
export async function lockForRestore({ runtime, row }: RunContext): Promise<void> {
  await runtime.transact(async (tx) => {
    if (await isClosedToRestores(tx, row.databaseId!)) throw new DatabaseLocked('The database is locked by other work')
    await tx.updateTable('backupRun').set({ step: 'safety' }).where('id', '=', row.id).execute()
  })
  row.step = 'safety'
}
