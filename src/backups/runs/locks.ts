/** How runs get hold of a database: in the transaction that lets them go on, or they wait without using an attempt. */
import type { BackupRunTable } from '../table.ts'
import { isClosedToDumps, isClosedToRestores } from '../database-locks.ts'
import type { Runtime } from '../../runtime.ts'
import type { Running } from './run.ts'

/** Until a run asks again. */
export const heldMs = 2000

/** Somebody else holds the database: the run is to wait. */
export class Held extends Error {}

/** The run is under way from now on; or it waits, being a dump of a database that is held. Gives whether it is. */
export function begin(runtime: Runtime, row: BackupRunTable, patch: Partial<BackupRunTable>): Promise<boolean> {
  const { id, action, step, databaseId, cancelled } = row
  const needsDatabase = action === 'dump' && step === 'dump' && databaseId !== null && cancelled === 0
  return runtime.transact(async (tx) => {
    const isHeld = needsDatabase && (await isClosedToDumps(tx, databaseId))
    const dueAt = new Date(runtime.now().getTime() + heldMs).toISOString()
    const change = isHeld ? ({ status: 'waiting', dueAt, interrupted: 0 } as const) : patch
    await tx.updateTable('backupRun').set(change).where('id', '=', id).execute()
    return !isHeld
  })
}

/** The restore holds its database from now on, with the step `safety`. Throws Held. */
export async function hold({ runtime, row }: Running): Promise<void> {
  await runtime.transact(async (tx) => {
    if (await isClosedToRestores(tx, row.databaseId!)) throw new Held('The database is held')
    await tx.updateTable('backupRun').set({ step: 'safety' }).where('id', '=', row.id).execute()
  })
  row.step = 'safety'
}
