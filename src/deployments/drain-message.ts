/** The messages about the drain of a node. */
import { listOf } from '../lib/text/listing.ts'
import type { NodeDrainReason, NodeWork } from './reason.ts'

const workNames: Record<NodeWork['type'], string> = {
  dump: 'the dump',
  drill: 'the drill',
  restore: 'the restore',
  move: 'the move',
  tool: 'a tool',
}

/** Returns how a message names work on a node. */
export const workText = ({ type, name }: NodeWork): string => `${workNames[type]} of ${name}`

type DrainMessages = {
  [R in NodeDrainReason['reason']]: (reason: Extract<NodeDrainReason, { reason: R }>) => string
}

export const drainMessages: DrainMessages = {
  WorkOnNode: ({ work }) => `The node is drained as soon as this work has ended: ${listOf(work.map(workText))}`,
  DrainStopsServices: ({ node, pinned }) =>
    `Node ${node} has pinned services, which cannot move: ${listOf(pinned)}. ` +
    'Send force: true to drain the node anyway. They are then stopped until the node is active again',
  DrainEndsRoutes: ({ node, hosts, pinned, work }) => {
    const proxy = hosts.length === 0 ? [] : [`the proxy of the application hosts ${listOf(hosts)}`]
    const others = [...pinned, ...work.map(workText)]
    const stopped = [...proxy, ...(others.length === 0 ? [] : [listOf(others)])].join('; ')
    return (
      `${node} is Berth's own node, and its drain stops what cannot move: ${stopped}. Send force: true to drain the ` +
      'node anyway. The services are then stopped until the node is active again, and the work fails'
    )
  },
  DrainedNodeLeft: () => 'The node has left the swarm',
}
