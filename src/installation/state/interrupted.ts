/**
 * Work that was under way when a backup of the state was made, and is not taken up again once that is restored: the
 * world has gone on. A restore begun again would put old data over new, a dump begun again would first take away what
 * became a good one, a deploy would bring back what was deployed then. Removals go on: they are recorded.
 */
import { failUnknown } from '../../databases/queries.ts'
import { finish } from '../../deployments/queries.ts'
import { failOpenRuns } from '../../backups/run-queries.ts'
import { deleteMove } from '../../databases/move/queries.ts'
import type { Writer } from '../../store/schema.ts'
import * as volumes from '../../volumes/queries.ts'

const reason = { reason: 'InterruptedByRestore' } as const

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

/** Its fresh volume may be the one that is in use by now. */
async function endMove(tx: Writer, databaseId: string, now: Date): Promise<void> {
  const move = await tx.selectFrom('move').select('volumeId').where('databaseId', '=', databaseId).executeTakeFirst()
  if (move === undefined) return
  if (move.volumeId !== null) await volumes.keep(tx, move.volumeId, now)
  await deleteMove(tx, databaseId)
}
