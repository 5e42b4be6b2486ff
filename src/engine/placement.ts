/** On which nodes something new can be put. Pure. */
import type { FoundNode } from './node.ts'

/** At most one of them is given. */
export interface Place {
  /** The id or the host name of a node. */
  node: string | null
  /** `key=value` */
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

/** One at least, or why there is none. */
export function usableNodes(nodes: FoundNode[], { node, nodeLabel }: Place): FoundNode[] | PlacementReason {
  const fitting = nodes.filter((it) => isMeant(it, node) && carries(it, nodeLabel))
  const usable = fitting.filter(({ ready, active }) => ready && active)
  if (usable.length > 0) return usable
  if (node !== null) return whyNot(node, fitting)
  if (nodeLabel === null) return { reason: 'NoNodeReady' }
  return fitting.length > 0 ? { reason: 'NoLabelledNodeReady', nodeLabel } : { reason: 'LabelUnknown', nodeLabel }
}

const isMeant = ({ id, hostname }: FoundNode, node: string | null) => node === null || id === node || hostname === node

function carries({ labels }: FoundNode, nodeLabel: string | null): boolean {
  if (nodeLabel === null) return true
  const at = nodeLabel.indexOf('=')
  return Object.hasOwn(labels, nodeLabel.slice(0, at)) && labels[nodeLabel.slice(0, at)] === nodeLabel.slice(at + 1)
}

function whyNot(node: string, [found]: FoundNode[]): PlacementReason {
  if (found === undefined) return { reason: 'NodeUnknown', node }
  const { ready, availability, state } = found
  return ready ? { reason: 'NodeNotActive', node, availability } : { reason: 'NodeNotReady', node, state }
}
