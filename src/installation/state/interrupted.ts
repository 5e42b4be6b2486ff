/**
 * Ends the work that was running when the restored backup of the state was created. The databases have changed since
 * then. A continued restore would overwrite new data with old data. A continued dump would first delete an object that
 * may be a good dump by now. A continued deploy would return to an old version. A continued removal would remove what
 * may be in use again. Removals of databases wait for a decision of state.confirm; all other removals are taken back.
 */
import { failForUnknownOutcome } from '../../databases/queries.ts'
import { endNodeRemoval } from '../../cluster/queries.ts'
import { finish } from '../../deployments/queries.ts'
import { failOpenRuns } from '../../backups/run-queries.ts'
import { keepPortsInRemoval } from '../../routing/queries.ts'
import { endRegistryRemoval } from '../../registries/queries.ts'
import { deleteMove } from '../../databases/move/queries.ts'
import type { Writer } from '../../store/schema.ts'
import * as volumes from '../../volumes/queries.ts'

const reason = { reason: 'InterruptedByRestore' } as const

/** Ends running backup runs, work on databases and removals of nodes as failed, except removals of databases. */
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
  await endNodeRemovals(tx, now)
  const takenBack = [
    ...(await volumes.keepAllInRemoval(tx)),
    ...(await keepPortsInRemoval(tx)),
    ...(await endRegistryRemoval(tx, now)),
  ]
  for (const deploymentId of takenBack) await finish(tx, deploymentId, 'error', reason, now)
}

/** Ends the removals of nodes. The availability of the nodes in the swarm stays as it is. */
async function endNodeRemovals(tx: Writer, now: Date): Promise<void> {
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
