/** Whether a database's node is there for it. Pure. */
import type { FoundNode } from '../engine/engine.ts'
import type { VolumeTable } from '../store/schema.ts'

export type Place = Pick<VolumeTable, 'nodeId' | 'nodeName' | 'nodeAddress'>

/**
 * Why it is not; null while it is. Managers that have only just begun do not know of their nodes yet: that is no loss.
 * Nor is the engine's own node lost, whatever is said of it, for the engine answers.
 */
export function awayReason(nodes: readonly FoundNode[], { nodeId, nodeName, nodeAddress }: Place): string | null {
  const name = `Its node ${nodeName} (${nodeAddress})`
  const node = nodes.find(({ id }) => id === nodeId)
  if (node === undefined) {
    return `${name} is not in the swarm any more, and its data was there. Restore a backup into another service`
  }
  if (node.state === 'down' && !node.local) return `${name} is down, and its volume is there`
  return node.availability === 'drain' ? `${name} is drained, and its volume is there` : null
}
