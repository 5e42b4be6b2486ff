/** Whether a database's node is there for it. Pure. */
import type { NodeReason } from '../deployments/reason.ts'
import type { FoundNode } from '../engine/engine.ts'
import type { VolumeTable } from '../store/schema.ts'

export type Place = Pick<VolumeTable, 'nodeId' | 'nodeName' | 'nodeAddress'>

/**
 * Why it is not; null while it is. Managers that have only just begun do not know of their nodes yet: that is no loss.
 * Nor is the engine's own node lost, whatever is said of it, for the engine answers.
 */
export function awayReason(
  nodes: readonly FoundNode[],
  { nodeId, nodeName: node, nodeAddress: address }: Place,
): NodeReason | null {
  const reason = reasonOf(nodes.find(({ id }) => id === nodeId))
  return reason === null ? null : { reason, node, address }
}

function reasonOf(node: FoundNode | undefined): NodeReason['reason'] | null {
  if (node === undefined) return 'NodeMissing'
  if (node.state === 'down' && !node.local) return 'NodeDown'
  return node.availability === 'drain' ? 'NodeDrained' : null
}
