/**
 * The operations on the nodes of the swarm, except changes and removal: list, join, rotate join tokens.
 */
import { z } from 'zod'
import { action, type ActionContext, inspect } from '../../api/contract.ts'
import { Refusal, refuse } from '../../errors.ts'
import type { FoundNode, JoinParameters } from '../../engine/node.ts'
import { proxyName } from '../../routing/caddy/launch.ts'
import { readNodeEntries } from '../../cluster/queries.ts'
import { readReservations } from '../../cluster/reservations.ts'
import { Node, nodeRecords } from '../records.ts'
import type { Config } from '../../config.ts'
import type { Reader } from '../../store/schema.ts'

const JoinFields = z.object({
  command: z.string().describe('The command to run on the machine that joins the swarm'),
  token: z.string().describe('The join token. Anyone who has it can join the swarm: keep it secret like a password'),
  address: z.string().describe('The address that the swarm advertises to joining machines: host and port'),
  version: z
    .string()
    .describe('The version of the Docker engine of the swarm. The machine needs this version or a newer one'),
})

const Join = JoinFields.meta({ title: 'JoinCommand' })

export const getNodes = inspect({
  name: 'cluster.getNodes',
  summary: 'List the nodes of the swarm with the services, volumes and ports pinned to each node',
  description:
    'A service is pinned to a node if its data is on that node or if it publishes a port of that node. Swarm does ' +
    'not move pinned services to another node.',
  access: 'admin:read',
  input: z.object({}),
  output: z.array(Node),
  async run({ db, engine, config }) {
    return recordsOf(await engine.nodes(), db, config)
  },
})

const joinText =
  'The token is valid until cluster.rotateTokens is called. The nodes must reach each other on the ports TCP 2377, ' +
  'TCP 7946, UDP 7946 and UDP 4789. The audit log records who requested the token.'

export const addWorker = inspect({
  name: 'cluster.addWorker',
  summary: 'Get the command that joins a machine to the swarm as a worker',
  description: joinText,
  access: 'admin:admin',
  revealsSecret: () => true,
  input: z.object({}),
  output: Join,
  run: async ({ engine }) => toJoin(await engine.joinParameters('worker')),
})

export const addManager = inspect({
  name: 'cluster.addManager',
  summary: 'Get the command that joins a machine to the swarm as a manager',
  description:
    `${joinText} Use three or five managers: the swarm can be changed only while more than half of its managers are ` +
    'reachable.',
  access: 'admin:admin',
  revealsSecret: () => true,
  input: z.object({}),
  output: Join,
  run: async ({ engine }) => toJoin(await engine.joinParameters('manager')),
})

export const rotateTokens = action({
  name: 'cluster.rotateTokens',
  summary: 'Replace the join token for workers or for managers, and get the new join command',
  description: 'The previous token becomes invalid at once. Nodes that joined with it stay in the swarm.',
  access: 'admin:admin',
  input: z.object({
    role: z
      .enum(['worker', 'manager'], 'must be worker or manager')
      .describe('Whether the token for workers or the token for managers is replaced'),
  }),
  output: Join,
  refusals: ['SERVICE_UNAVAILABLE', 'BAD_GATEWAY'],
  async run({ cluster, conclude }, { role }) {
    await cluster.rotateToken(role)
    const joinParameters = await cluster.joinParameters(role)
    return conclude(async () => toJoin(joinParameters))
  },
})

/** The command needs no shell quoting, because no part of it comes from a caller. */
function toJoin({ token, address, engineVersion }: JoinParameters) {
  return { command: `docker swarm join --token ${token} ${address}`, token, address, version: engineVersion }
}

/** Returns the nodes in the form of API answers. */
export async function recordsOf(nodes: FoundNode[], db: Reader, config: Config) {
  const [entries, reservations] = await Promise.all([readNodeEntries(db, proxyName), readReservations(db)])
  return nodeRecords(nodes, entries, reservations, config)
}

/**
 * Returns all nodes of the swarm. If the engine cannot list them and Berth has no record of `nodeId`, returns an empty
 * list, so that the caller answers NOT_FOUND.
 * @param nodeId the node that the caller looks for
 * @throws Refusal if the engine cannot list them and Berth has a record of `nodeId`
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

/** Returns the node with this id. Refuses with NOT_FOUND if no node has this id. */
export function nodeOf(nodes: FoundNode[], nodeId: string): FoundNode {
  const node = nodes.find(({ id }) => id === nodeId)
  return node ?? refuse('NOT_FOUND', 'No node with this id. cluster.getNodes lists all nodes')
}
