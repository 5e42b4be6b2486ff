/** Nodes as the API returns them: the engine's data, and the services, volumes and ports pinned to each node. */
import { z } from 'zod'
import type { Config } from '../config.ts'
import type { DeploymentReason } from '../deployments/reason.ts'
import { reasonAnswer } from '../deployments/reason-message.ts'
import type { FoundNode } from '../engine/node.ts'
import type { Json } from '../lib/json.ts'
import type { NodeEntry } from '../cluster/queries.ts'
import { answerShape } from '../api/answer-shape.ts'
import { answeredIdOf } from '../api/fields.ts'
import { ReasonCode } from '../deployments/fields.ts'
import { noReservation, type Reservation } from './reservations.ts'

export const Availability = z
  .enum(['active', 'pause', 'drain'], 'must be active, pause or drain')
  .describe(
    'active: the node gets new containers. pause: it gets none, and keeps those that run. drain: it gets none, and ' +
      'its services move to other nodes or stop',
  )

const Pinned = z.object({
  type: z
    .enum(['database', 'volume', 'registry', 'port', 'proxy'])
    .describe('`volume` is a kept volume of a removed service'),
  id: z
    .string()
    .describe(
      'The id of the database, the kept volume, the published port or the proxy service. For the registry: the id of ' +
        'its volume',
    ),
  name: z.string().describe('The appName of the service. For a port: its number, protocol and application'),
})
export type Pinned = z.output<typeof Pinned>

const NodeFields = z.object({
  id: z.string().describe('Id of the node in the swarm'),
  hostname: z.string().describe('Host name of the machine; empty for a moment after the node has joined'),
  role: z.enum(['worker', 'manager']).describe('Managers control the swarm; workers only run containers'),
  ...answerShape({ availability: Availability }),
  state: z
    .enum(['ready', 'down', 'unknown', 'disconnected'])
    .describe('State as the managers see it. disconnected: the connection to the node broke a moment ago'),
  since: z
    .string()
    .nullable()
    .describe('When Berth first observed this state. Null if Berth has not recorded the state yet'),
  address: z.string().describe('Address under which the swarm knows the node, without a port'),
  engineVersion: z.string().describe('Version of the Docker engine of the node'),
  cpuCores: z.number().describe('Number of cores of the machine'),
  memoryBytes: z.number().describe('Memory of the machine in bytes'),
  labels: z
    .record(z.string(), z.string())
    .describe('Labels of the node: values by name. nodeLabel of a database refers to them'),
  leader: z.boolean().describe('Whether the node is the leader of the managers'),
  reachable: z.boolean().nullable().describe('Whether the other managers can reach the node. Null for a worker'),
  isOwn: z.boolean().describe('Whether the Docker engine that Berth uses runs on this node'),
  pinned: z.array(Pinned).describe('Services, volumes and ports that cannot move to another node'),
  reserved: z
    .object({
      databases: z.number().describe('Number of databases with data on this node that should run'),
      memoryBytes: z.number().describe('Sum of memoryReservation of these databases in bytes'),
      cpuCores: z.number().describe('Sum of cpuReservation of these databases'),
    })
    .describe('What the records of databases reserve of the node'),
  removal: z
    .object({
      deploymentId: answeredIdOf('deployment that removes the node'),
      startedAt: z.string().describe('When the removal began'),
      force: z.boolean().describe('Whether data on the node, if there is any, is given up'),
      reason: z.string().nullable().describe('The progress of the removal'),
      reasonCode: ReasonCode,
    })
    .nullable()
    .describe('The removal in progress. Null if the node is not being removed'),
  returned: z
    .array(
      z.object({
        nodeId: z.string().describe('The id of the other node in the swarm'),
        hostname: z.string().describe('The host name of the other node'),
        volumes: z.number().describe('Number of its volumes of which this node has volumes of the same names'),
      }),
    )
    .describe(
      'Other nodes, which left the swarm or are down, whose volumes were found on this node. The machine may have joined ' +
        'again with another id. cluster.adoptNode takes the volumes back',
    ),
})

export const Node = NodeFields.meta({ title: 'Node' })

const maxLabels = 100
const LabelKey = /^[A-Za-z0-9](?:[A-Za-z0-9._/-]*[A-Za-z0-9])?$/

export const Labels = z
  .record(
    z
      .string()
      .max(255, 'names must have at most 255 characters')
      .regex(
        LabelKey,
        'names must consist of letters, digits, dots, dashes, slashes and underscores, and begin and end with a ' +
          'letter or digit',
      ),
    z
      .string()
      .max(255, 'values must have at most 255 characters')
      .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, 'values must not contain control characters'),
  )
  .refine((labels) => Object.keys(labels).length <= maxLabels, `must have at most ${maxLabels} labels`)

/**
 * Returns the nodes in the form of API answers.
 * @param entries all entries of the store, for any node
 * @param reservations by the id of the node
 */
export function nodeRecords(
  nodes: FoundNode[],
  entries: readonly NodeEntry[],
  reservations: ReadonlyMap<string, Reservation>,
  config: Pick<Config, 'proxy'>,
): z.input<typeof Node>[] {
  const byNode = Map.groupBy(entries, ({ nodeId }) => nodeId)
  const onOwnNode = (byNode.get(null) ?? []).filter(({ of }) => of !== 'proxy' || config.proxy === 'service')
  return nodes.map(({ ready: _, active: __, local, manager, ...node }) => {
    const ofNode = byNode.get(node.id) ?? []
    const observation = ofNode.find(({ of }) => of === 'state')
    return {
      ...node,
      since: observation?.name === node.state ? observation.detail : null,
      leader: manager?.leader ?? false,
      reachable: manager?.reachable ?? null,
      isOwn: local,
      pinned: [...ofNode, ...(local ? onOwnNode : [])].flatMap(pinnedFrom),
      reserved: reservations.get(node.id) ?? noReservation,
      removal: removalFrom(ofNode.find(({ of }) => of === 'removal' || of === 'forcedRemoval')),
      returned: ofNode.flatMap(returnedFrom),
    }
  })
}

function pinnedFrom({ of, id, name, detail }: NodeEntry): Pinned[] {
  switch (of) {
    case 'port':
      return [{ type: of, id, name: `${detail} of ${name}` }]
    case 'database':
    case 'volume':
    case 'registry':
    case 'proxy':
      return [{ type: of, id, name }]
    default:
      return []
  }
}

const returnedFrom = ({ of, id: nodeId, name: hostname, detail }: NodeEntry) =>
  of === 'found' ? [{ nodeId, hostname, volumes: Number(detail) }] : []

function removalFrom(entry: NodeEntry | undefined): z.input<typeof Node>['removal'] {
  if (entry === undefined) return null
  const { of, id, name, detail } = entry
  const reason = reasonAnswer(detail as Json<DeploymentReason> | null)
  return { deploymentId: id, startedAt: name, force: of === 'forcedRemoval', ...reason }
}

/** Returns how a message names a pinned service, volume or port. */
export function pinnedText({ type, name }: Pinned): string {
  const texts = {
    database: name,
    volume: `the kept volume of ${name}`,
    registry: 'the registry',
    port: `the port ${name}`,
    proxy: 'the proxy',
  }
  return texts[type]
}
