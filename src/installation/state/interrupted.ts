/**
 * Ends the work that was running when the restored backup of the state was created. The databases have changed since
 * then. A continued restore would overwrite new data with old data. A continued dump would first delete an object that
 * may be a good dump by now. A continued deploy would return to an old version. A continued removal or drain of a
 * node would drain a node that may be in use again. Removals of databases continue, because a user requested them.
 */
import { failForUnknownOutcome } from '../../databases/queries.ts'
import { endNodeRemoval } from '../../cluster/queries.ts'
import { finish } from '../../deployments/queries.ts'
import { failOpenRuns } from '../../backups/run-queries.ts'
import { deleteMove } from '../../databases/move/queries.ts'
import type { Writer } from '../../store/schema.ts'
import * as volumes from '../../volumes/queries.ts'

const reason = { reason: 'InterruptedByRestore' } as const

/** Ends running backup runs and work on databases and nodes as failed, except removals of databases. */
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
    await failForUnknownOutcome(tx, id, reason)
  }
  await endNodeWork(tx, now)
}

/** Ends the removals and drains of nodes. The availability of the nodes in the swarm stays as it is. */
async function endNodeWork(tx: Writer, now: Date): Promise<void> {
  const nodes = await tx
    .selectFrom('node')
    .select(['id', 'deploymentId'])
    .where('deploymentId', 'is not', null)
    .execute()
  for (const { id, deploymentId } of nodes) {
    await finish(tx, deploymentId!, 'error', reason, now)
    await endNodeRemoval(tx, id)
  }
}

/**
 * Ends a move. The new volume of the move is kept, because the move may have finished after the backup. The volume is
 * in use then.
 */
async function endMove(tx: Writer, databaseId: string, now: Date): Promise<void> {
  const move = await tx.selectFrom('move').select('volumeId').where('databaseId', '=', databaseId).executeTakeFirst()
  if (move === undefined) return
  if (move.volumeId !== null) await volumes.keep(tx, move.volumeId, now)
  await deleteMove(tx, databaseId)
}
