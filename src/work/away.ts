/** Whether a database's node is there for it. Pure. */
import type { FoundNode } from '../engine/engine.ts'
import type { VolumeTable } from '../store/schema.ts'

export type Place = Pick<VolumeTable, 'nodeId' | 'nodeName' | 'nodeAddress'>

/**
 * Why it is not; null while it is. Managers that have only just begun do not know of their nodes yet: that is no loss.
 * Nor is the engine's own node lost, whatever is said of it, for the engine answers.
 */
export function awayReason(nodes: readonly FoundNode[], { nodeId, nodeName, nodeAddress }: Place): string | null {
  const fault = faultOf(nodes.find(({ id }) => id === nodeId))
  return fault === null ? null : `Its node ${nodeName} (${nodeAddress}) ${fault}`
}

function faultOf(node: FoundNode | undefined): string | null {
  if (node === undefined) {
    return 'is not in the swarm any more, and its data was there. Restore a backup into another service'
  }
  if (node.state === 'down' && !node.local) return 'is down, and its volume is there'
  return node.availability === 'drain' ? 'is drained, and its volume is there' : null
}
