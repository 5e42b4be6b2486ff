/** Decides whether the node with a database's volume is available. Pure. */
import type { NodeReason } from '../deployments/reason.ts'
import type { FoundNode } from '../engine/engine.ts'
import type { VolumeTable } from '../store/schema.ts'

/** The node of a volume. */
export type VolumeNode = Pick<VolumeTable, 'nodeId' | 'nodeName' | 'nodeAddress'> &
  Partial<Pick<VolumeTable, 'foundNodeName'>>

/**
 * Why the node is unavailable; null while it is available. The state `unknown` counts as available, because a manager
 * that has just started does not know the states of its nodes yet. The node of Berth's own engine never counts as down,
 * because the engine has just answered.
 */
export function nodeUnavailableReason(nodes: readonly FoundNode[], volume: VolumeNode): NodeReason | null {
  const { nodeId, nodeName, nodeAddress: address, foundNodeName: foundOn = null } = volume
  const where = { node: nodeName, address }
  const node = nodes.find(({ id }) => id === nodeId)
  if (node !== undefined) {
    const reason = reasonOf(node)
    return reason === null ? null : { reason, ...where }
  }
  return foundOn === null ? { reason: 'NodeMissing', ...where } : { reason: 'NodeReturned', ...where, nodeId, foundOn }
}

function reasonOf(node: FoundNode): 'NodeDown' | 'NodeDrained' | null {
  if (node.state === 'down' && !node.local) return 'NodeDown'
  return node.availability === 'drain' ? 'NodeDrained' : null
}
