/** Selects the nodes on which a new service can be placed. Pure. */
import type { FoundNode } from './node.ts'

/** A constraint on the node. At most one of the two fields is set. */
export interface PlacementConstraint {
  /** The id or the host name of a node. */
  node: string | null
  /** A label that the node must have, as `key=value`. */
  nodeLabel: string | null
}

/** Why no node can be used. */
export type PlacementReason =
  | { reason: 'NodeUnknown'; node: string }
  | { reason: 'NodeNotReady'; node: string; state: string }
  | { reason: 'NodeNotActive'; node: string; availability: string }
  | { reason: 'NoNodeReady' }
  | { reason: 'LabelUnknown'; nodeLabel: string }
  | { reason: 'NoLabelledNodeReady'; nodeLabel: string }

/** Returns the ready and active nodes that satisfy the constraint, or the reason why there is none. */
export function usableNodes(
  nodes: FoundNode[],
  { node, nodeLabel }: PlacementConstraint,
): FoundNode[] | PlacementReason {
  const matching = nodes.filter((candidate) => matchesNode(candidate, node) && hasLabel(candidate, nodeLabel))
  const usable = matching.filter(({ ready, active }) => ready && active)
  if (usable.length > 0) return usable
  if (node !== null) return unusableReason(node, matching)
  if (nodeLabel === null) return { reason: 'NoNodeReady' }
  return matching.length > 0 ? { reason: 'NoLabelledNodeReady', nodeLabel } : { reason: 'LabelUnknown', nodeLabel }
}

const matchesNode = ({ id, hostname }: FoundNode, node: string | null) =>
  node === null || id === node || hostname === node

function hasLabel({ labels }: FoundNode, nodeLabel: string | null): boolean {
  if (nodeLabel === null) return true
  const at = nodeLabel.indexOf('=')
  const key = nodeLabel.slice(0, at)
  return Object.hasOwn(labels, key) && labels[key] === nodeLabel.slice(at + 1)
}

function unusableReason(node: string, [match]: FoundNode[]): PlacementReason {
  if (match === undefined) return { reason: 'NodeUnknown', node }
  const { ready, availability, state } = match
  return ready ? { reason: 'NodeNotActive', node, availability } : { reason: 'NodeNotReady', node, state }
}
