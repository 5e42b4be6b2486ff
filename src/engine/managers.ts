/**
 * Decides whether a node can leave the swarm. The managers that remain must have a quorum, and the node of the engine
 * that Berth calls must stay. Pure.
 */
import type { FoundNode } from './node.ts'

/** Why a node has to stay in the swarm. The `force` parameter of a removal does not override these reasons. */
export type NodeStayReason =
  /** The node is the only manager. */
  | { reason: 'LastManager'; node: string }
  /** The engine that Berth calls runs on the node. */
  | { reason: 'OwnNode'; node: string }
  /**
   * The other managers would have no quorum. `managers` is the number of other managers, `reachable` of them are
   * reachable, `needed` must be reachable, and `unreachable` has the host names of the rest.
   */
  | { reason: 'QuorumAtRisk'; node: string; reachable: number; managers: number; needed: number; unreachable: string[] }

/** Why the node must stay; null if it may leave. */
export function nodeStayReason(node: FoundNode, nodes: readonly FoundNode[]): NodeStayReason | null {
  const managers = nodes.filter(({ manager, role }) => manager !== null || role === 'manager')
  const others = managers.filter(({ id }) => id !== node.id)
  if (!managers.includes(node)) return node.local ? { reason: 'OwnNode', node: node.hostname } : null
  if (others.length === 0) return { reason: 'LastManager', node: node.hostname }
  if (node.local) return { reason: 'OwnNode', node: node.hostname }
  const isReachable = ({ manager }: FoundNode) => manager?.reachable === true
  const reachable = others.filter(isReachable).length
  const needed = Math.floor(others.length / 2) + 1
  if (reachable >= needed) return null
  const unreachable = others.filter((manager) => !isReachable(manager)).map(({ hostname }) => hostname)
  return { reason: 'QuorumAtRisk', node: node.hostname, reachable, managers: others.length, needed, unreachable }
}
