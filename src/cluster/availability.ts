/** Decides whether the node that holds a database's volume is available. Pure. */
import type { NodeReason } from '../deployments/reason.ts'
import type { FoundNode } from '../engine/engine.ts'
import type { VolumeTable } from '../store/schema.ts'

/** The node that holds a volume. */
export type VolumeNode = Pick<VolumeTable, 'nodeId' | 'nodeName' | 'nodeAddress'>

/**
 * Why the node is unavailable; null while it is available. The state `unknown` counts as available, because managers
 * that have just started do not know their nodes' states yet. The engine's own node is never down: the engine answered.
 */
export function nodeUnavailableReason(
  nodes: readonly FoundNode[],
  { nodeId, nodeName: node, nodeAddress: address }: VolumeNode,
): NodeReason | null {
  const reason = reasonOf(nodes.find(({ id }) => id === nodeId))
  return reason === null ? null : { reason, node, address }
}

function reasonOf(node: FoundNode | undefined): NodeReason['reason'] | null {
  if (node === undefined) return 'NodeMissing'
  if (node.state === 'down' && !node.local) return 'NodeDown'
  return node.availability === 'drain' ? 'NodeDrained' : null
}
