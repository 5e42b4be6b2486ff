/** Volumes of nodes that do not answer, and the nodes on which volumes of the same names were found. */
import type { Reader, VolumeTable, Writer } from '../store/schema.ts'

export type LostVolume = Pick<VolumeTable, 'id' | 'name' | 'nodeId' | 'nodeName' | 'foundNodeId'>
/** A node as the row of a volume names it. */
export type NewNode = Pick<VolumeTable, 'nodeId' | 'nodeName' | 'nodeAddress'>

/**
 * Returns the volumes on other nodes than these, and those that were found on a node, oldest first.
 * @param ready the ids of the nodes that answer
 */
export function lostVolumes(db: Reader, ready: readonly string[]): Promise<LostVolume[]> {
  return db
    .selectFrom('volume')
    .select(['id', 'name', 'nodeId', 'nodeName', 'foundNodeId'])
    .where((eb) => eb.or([eb('nodeId', 'not in', ready), eb('foundNodeId', 'is not', null)]))
    .orderBy('id')
    .execute()
}

/** Records where a volume of this name was found. Null: nowhere. Does nothing if the volume is on another node by now. */
export async function recordFound(
  tx: Writer,
  { id, nodeId }: LostVolume,
  node: { id: string; hostname: string } | null,
): Promise<void> {
  await tx
    .updateTable('volume')
    .set({ foundNodeId: node?.id ?? null, foundNodeName: node?.hostname ?? null })
    .where('id', '=', id)
    .where('nodeId', '=', nodeId)
    .execute()
}

/**
 * Records that the volume is on another node: its machine has joined the swarm again. The generation rises, so that a
 * service for the old node counts as older than the record. The data was just verified, so a fault of before is over.
 *
 * @returns whether the volume was still on its old node
 */
export async function rebind(
  tx: Writer,
  { id, nodeId, fault }: Pick<VolumeTable, 'id' | 'nodeId' | 'fault'>,
  to: NewNode,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('volume')
    .set(({ eb }) => ({
      ...to,
      generation: eb('generation', '+', 1),
      foundNodeId: null,
      foundNodeName: null,
      fault: fault === 'FirstStartInterrupted' ? fault : null,
    }))
    .where('id', '=', id)
    .where('nodeId', '=', nodeId)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
