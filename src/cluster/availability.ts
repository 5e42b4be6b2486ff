/** Decides whether the node with a database's volume is available. Pure. */
import type { NodeReason } from '../deployments/reason.ts'
import type { FoundNode } from '../engine/engine.ts'
import type { VolumeTable } from '../store/schema.ts'

/** The node of a volume. */
export type VolumeNode = Pick<VolumeTable, 'nodeId' | 'nodeName' | 'nodeAddress'>

/**
 * Why the node is unavailable; null while it is available. The state `unknown` counts as available, because a manager
 * that has just started does not know the states of its nodes yet. The node of Berth's own engine never counts as down,
 * because the engine has just answered.
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
