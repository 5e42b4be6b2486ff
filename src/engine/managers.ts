/** Whether a node can leave the swarm without harm to those who manage it. Pure. */
import type { FoundNode } from './node.ts'

/** Why it must stay, in a sentence, whatever is forced; null where it may go. */
export function whyItStays(node: FoundNode, nodes: readonly FoundNode[]): string | null {
  const managers = nodes.filter(({ manager, role }) => manager !== null || role === 'manager')
  const others = managers.filter(({ id }) => id !== node.id)
  if (!managers.includes(node)) {
    return node.local ? ownNode(node) : null
  }
  if (others.length === 0) {
    return `${node.hostname} is the last manager of the swarm. Add another with cluster.addManager first`
  }
  if (node.local) return ownNode(node)
  const reachable = others.filter(({ manager }) => manager?.reachable === true).length
  const needed = Math.floor(others.length / 2) + 1
  if (reachable >= needed) return null
  return (
    `Without ${node.hostname} only ${reachable} of ${others.length} managers would be reachable, and the swarm ` +
    `needs ${needed} to decide anything. Bring the others back first: ${unreachable(others)}`
  )
}

const ownNode = ({ hostname }: FoundNode) =>
  `${hostname} is the node that Berth's own engine stands on. Point DOCKER_HOST to another manager first`

const unreachable = (managers: FoundNode[]) =>
  managers
    .filter(({ manager }) => manager?.reachable !== true)
    .map(({ hostname }) => hostname)
    .join(', ')
