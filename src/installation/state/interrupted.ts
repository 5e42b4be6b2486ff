/**
 * Ends the work that was running when a restored backup of the state was made. Databases have changed since then: a
 * continued restore would put old data over new data, a continued dump would first delete what became a good dump, and
 * a continued deploy would bring back an old version. Removals continue, because their intent is recorded.
 */
import { failUnknown } from '../../databases/queries.ts'
import { finish } from '../../deployments/queries.ts'
import { failOpenRuns } from '../../backups/run-queries.ts'
import { deleteMove } from '../../databases/move/queries.ts'
import type { Writer } from '../../store/schema.ts'
import * as volumes from '../../volumes/queries.ts'

const reason = { reason: 'InterruptedByRestore' } as const

/** Ends running backup runs and deployments as failed, except removals of databases. */
export async function endInterrupted(tx: Writer, now: Date): Promise<void> {
  await failOpenRuns(tx, reason, now)
  const rows = await tx
    .selectFrom('database')
    .select(['id', 'deploymentId'])
    .where('deploymentId', 'is not', null)
    .where('goal', '!=', 'gone')
    .execute()
  for (const { id, deploymentId } of rows) {
    await finish(tx, deploymentId!, 'error', reason, now)
    await endMove(tx, id, now)
    await failUnknown(tx, id, reason)
  }
}

/**
 * Ends a move. Its new volume is kept, because the move can have finished after the backup: then the volume is in use.
 */
async function endMove(tx: Writer, databaseId: string, now: Date): Promise<void> {
  const move = await tx.selectFrom('move').select('volumeId').where('databaseId', '=', databaseId).executeTakeFirst()
  if (move === undefined) return
  if (move.volumeId !== null) await volumes.keep(tx, move.volumeId, now)
  await deleteMove(tx, databaseId)
}
