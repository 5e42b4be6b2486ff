/** On which nodes something new can be put. Pure. */
import type { FoundNode } from './node.ts'

/** At most one of them is given. */
export interface Place {
  /** The id or the host name of a node. */
  node: string | null
  /** `key=value` */
  nodeLabel: string | null
}

/** One at least, or why there is none, in a sentence. */
export function usableNodes(nodes: FoundNode[], { node, nodeLabel }: Place): FoundNode[] | string {
  const fitting = nodes.filter((it) => isMeant(it, node) && carries(it, nodeLabel))
  const usable = fitting.filter(({ ready, active }) => ready && active)
  if (usable.length > 0) return usable
  if (node !== null) return whyNot(`The node ${node}, on which this service is to be,`, fitting)
  if (nodeLabel === null) return 'No node of the swarm is ready to take a database'
  if (fitting.length > 0) return `No node that carries the label ${nodeLabel} is ready and active`
  return `No node of the swarm carries the label ${nodeLabel}. Give it to one with cluster.updateNode`
}

const isMeant = ({ id, hostname }: FoundNode, node: string | null) => node === null || id === node || hostname === node

function carries({ labels }: FoundNode, nodeLabel: string | null): boolean {
  if (nodeLabel === null) return true
  const at = nodeLabel.indexOf('=')
  return Object.hasOwn(labels, nodeLabel.slice(0, at)) && labels[nodeLabel.slice(0, at)] === nodeLabel.slice(at + 1)
}

function whyNot(subject: string, [node]: FoundNode[]): string {
  if (node === undefined) return `${subject} is not in the swarm or is being removed`
  return node.ready
    ? `${subject} takes nothing new: its availability is ${node.availability}`
    : `${subject} is not ready: its state is ${node.state}`
}
