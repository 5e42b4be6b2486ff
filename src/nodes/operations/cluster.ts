/** The operations on the nodes of the swarm: list, join, rotate join tokens, change availability and labels. */
import { z } from 'zod'
import { action, type ActionContext, inspect } from '../../api/contract.ts'
import { Refusal, refuse } from '../../errors.ts'
import type { FoundNode, Joining } from '../../engine/node.ts'
import { listOf } from '../../lib/text/listing.ts'
import { proxyName } from '../../routing/caddy/launch.ts'
import { readNodeEntries } from '../../cluster/queries.ts'
import { Labels, Node, nodeRecords, pinnedText } from '../records.ts'
import { Id } from '../../api/fields.ts'

const Join = z.object({
  command: z.string().describe('To be run on the machine that is to join'),
  token: z.string().describe('Whoever has it can join the swarm: keep it like a password'),
  address: z.string().describe('Where the swarm listens, as it advertises itself: host and port'),
  version: z.string().describe("Of the swarm's engine: the machine should have this one or a newer"),
})

export const getNodes = inspect({
  name: 'cluster.getNodes',
  summary: 'List the nodes of the swarm, and what is pinned to each',
  description: 'What is pinned has its data on the node, or holds a port of it, and does not move by itself.',
  access: 'admin:read',
  input: z.object({}),
  output: z.array(Node),
  async run({ db, engine, config }) {
    const [nodes, entries] = await Promise.all([engine.nodes(), readNodeEntries(db, proxyName)])
    return nodeRecords(nodes, entries, config)
  },
})

const joinText =
  'The token lets machines in until cluster.rotateTokens is called. They have to reach each other by ' +
  'TCP 2377 and 7946 and UDP 7946 and 4789. Who gets it is noted in the audit log.'

export const addWorker = inspect({
  name: 'cluster.addWorker',
  summary: 'Get the command by which a machine joins the swarm as a worker',
  description: joinText,
  access: 'admin:admin',
  tellsSecret: () => true,
  input: z.object({}),
  output: Join,
  run: async ({ engine }) => toJoin(await engine.joining('worker')),
})

export const addManager = inspect({
  name: 'cluster.addManager',
  summary: 'Get the command by which a machine joins the swarm as a manager',
  description: `${joinText} Managers should be three or five: more than half of them have to be reachable.`,
  access: 'admin:admin',
  tellsSecret: () => true,
  input: z.object({}),
  output: Join.extend({}),
  run: async ({ engine }) => toJoin(await engine.joining('manager')),
})

export const rotateTokens = action({
  name: 'cluster.rotateTokens',
  summary: 'Make a new token for joining as a worker or as a manager, and get the command with it',
  description: 'The token before lets nobody in from then on; nodes that joined by it stay.',
  access: 'admin:admin',
  input: z.object({ role: z.enum(['worker', 'manager'], 'must be worker or manager') }),
  output: Join.extend({}),
  refusals: ['SERVICE_UNAVAILABLE', 'BAD_GATEWAY'],
  async run({ cluster, conclude }, { role }) {
    await cluster.rotateToken(role)
    const joining = await cluster.joining(role)
    return conclude(async () => toJoin(joining))
  },
})

/** The command needs no quoting: no part of it comes from a caller. */
function toJoin({ token, address, engineVersion }: Joining) {
  return { command: `docker swarm join --token ${token} ${address}`, token, address, version: engineVersion }
}

export const updateNode = action({
  name: 'cluster.updateNode',
  summary: 'Change how a node is used, or its labels',
  description:
    '`pause` leaves what runs there and lets nothing new come, a restarted container neither. `drain` also ' +
    'moves what runs there; what is pinned there stands still until the node is active again.',
  access: 'admin:admin',
  input: z.object({
    nodeId: Id,
    availability: z.enum(['active', 'pause', 'drain'], 'must be active, pause or drain').optional(),
    labels: Labels.optional().describe('All of them: one that is not there is taken away'),
    force: z.boolean().default(false).describe('Drains it also where something is pinned to it'),
  }),
  output: Node.extend({}),
  refusals: ['NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE', 'BAD_GATEWAY'],
  async run(context, { nodeId, availability, labels, force }) {
    const { db, cluster, conclude, config } = context
    const node = nodeOf(await nodesWith(context, nodeId), nodeId)
    const [before] = nodeRecords([node], await readNodeEntries(db, proxyName), config)
    if (before!.removal !== null) refuse('CONFLICT', `The node ${node.hostname} is being removed`)
    const isDrained = availability === 'drain' && node.availability !== 'drain'
    if (isDrained && !force && before!.pinned.length > 0) {
      refuse(
        'CONFLICT',
        `On ${node.hostname} there is what cannot move: ${listOf(before!.pinned.map(pinnedText))}. ` +
          'With force it stands still until the node is active again',
      )
    }
    await cluster.updateNode(nodeId, {
      ...(availability === undefined ? {} : { availability }),
      ...(labels === undefined ? {} : { labels }),
    })
    const after = nodeOf(await cluster.nodes(), nodeId)
    return conclude(async (tx) => nodeRecords([after], await readNodeEntries(tx, proxyName), config)[0]!)
  },
})

/**
 * All nodes of the swarm. If the engine is unavailable, a node that Berth has recorded leads to the engine's refusal;
 * for an unknown node the result is empty, so that the caller answers NOT_FOUND.
 */
export async function nodesWith({ db, cluster }: ActionContext, nodeId: string): Promise<FoundNode[]> {
  try {
    return await cluster.nodes()
  } catch (error) {
    const known = await db.selectFrom('node').select('id').where('id', '=', nodeId).executeTakeFirst()
    if (!(error instanceof Refusal) || known !== undefined) throw error
    return []
  }
}

/** The node with this id. Refuses with NOT_FOUND if there is none. */
export function nodeOf(nodes: FoundNode[], nodeId: string): FoundNode {
  const node = nodes.find(({ id }) => id === nodeId)
  return node ?? refuse('NOT_FOUND', 'There is no such node. cluster.getNodes lists those there are')
}
