/** The operation that changes the availability and the labels of a node. A drain finishes the work on the node first. */
import { z } from 'zod'
import { action, type ActionContext } from '../../api/contract.ts'
import { idOf } from '../../api/fields.ts'
import { get } from '../../deployments/queries.ts'
import type { NodeDrainReason } from '../../deployments/reason.ts'
import { reasonAnswer, reasonMessage } from '../../deployments/reason-message.ts'
import type { FoundNode } from '../../engine/node.ts'
import { refuse } from '../../errors.ts'
import type { Writer } from '../../store/schema.ts'
import { type DrainLosses, drainLosses } from '../drain/losses.ts'
import { beginDrain, endDrain, nodeDeployment } from '../drain/waiting-drain.ts'
import { Availability, Labels, NodeFields, type Pinned, pinnedText } from '../records.ts'
import { nodeOf, nodesWith, recordsOf } from './cluster.ts'

const Ended = z.object({
  hosts: z.array(z.string()).describe('The host names of applications that the proxy on this node served'),
  ports: z.array(z.string()).describe('The published ports that were open on this node, such as 8080/tcp'),
  work: z
    .array(
      z.object({
        type: z
          .enum(['dump', 'drill', 'restore', 'move', 'tool'])
          .describe('tool: a container of Berth for the database'),
        name: z.string().describe('The appName of the database'),
      }),
    )
    .describe('The work of Berth in progress on this node'),
})

const UpdatedNode = NodeFields.extend({
  ended: Ended.optional().describe('The routes and the work that the drain ends. Absent if it ends none'),
}).meta({ title: 'UpdatedNode' })

export const updateNode = action({
  name: 'cluster.updateNode',
  summary: 'Change the availability or the labels of a node',
  description:
    'With `pause`, running containers keep running, but no new container starts on the node, not even in place of ' +
    'one that ended. With `drain`, Swarm also moves the running services to other nodes. Services that are pinned to ' +
    'a drained node are stopped until the node is active again. Berth cannot reach the engine of a drained node, so it first ' +
    'finishes its own work there: dumps, drills, restores and moves. Until then the answer has `drain`, and ' +
    "`Prefer: wait` waits for the end of the drain. A drain of the node of Berth's own engine also ends the proxy of " +
    'applications and the published ports; it never waits.',
  access: 'admin:admin',
  input: z.object({
    nodeId: idOf('node'),
    availability: Availability.optional(),
    labels: Labels.optional().describe('All labels of the node. Labels that are left out are removed'),
    force: z
      .boolean()
      .default(false)
      .describe(
        "Drains the node even if services are pinned to it, and Berth's own node even if routes or work in progress end",
      ),
    immediately: z
      .boolean()
      .default(false)
      .describe('Drains the node without waiting for the work of Berth on it. The work fails'),
  }),
  output: UpdatedNode,
  refusals: ['NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE', 'BAD_GATEWAY'],
  async run(context, { nodeId, availability, labels, force, immediately }) {
    const { db, cluster, conclude, config, transact } = context
    const node = nodeOf(await nodesWith(context, nodeId), nodeId)
    const [before] = await recordsOf([node], db, config)
    refuseDuringRemoval(node, before!.removal !== null)
    const isDrain = availability === 'drain' && node.availability !== 'drain'
    const losses = isDrain ? await drainLosses(context, node) : null
    if (losses !== null && !force) refuseLosses(node, before!.pinned, losses)
    const waits = losses !== null && !node.local && node.state !== 'down' && !immediately && losses.work.length > 0
    // Before the change, so that the loop over the nodes does not drain the node after it.
    if (availability !== undefined && availability !== 'drain') {
      await transact((tx) => endWaiting(context, tx, nodeId, 'superseded'))
    }
    await cluster.updateNode(nodeId, {
      ...(availability === undefined || waits ? {} : { availability }),
      ...(labels === undefined ? {} : { labels }),
    })
    const after = nodeOf(await cluster.nodes(), nodeId)
    return conclude(async (tx, wake, follow) => {
      const deploymentId = waits ? await requestDrain(context, tx, after, losses) : null
      if (deploymentId !== null) follow(deploymentId)
      else if (availability === 'drain') await endWaiting(context, tx, nodeId, 'done')
      wake('nodes')
      const record = (await recordsOf([after], tx, config))[0]!
      return losses === null || waits || isEmpty(losses) ? record : { ...record, ended: losses }
    })
  },
  finalAnswer: async ({ db }, _input, [deploymentId], first) => {
    if (deploymentId === undefined) return first
    const { state, startedAt, reason } = await get(db, deploymentId)
    return state === 'running'
      ? { ...first, drain: { deploymentId, startedAt, ...reasonAnswer(reason) } }
      : { ...first, availability: 'drain' as const, drain: null }
  },
})

const isEmpty = ({ hosts, ports, work }: DrainLosses) => hosts.length + ports.length + work.length === 0

function refuseDuringRemoval({ hostname }: FoundNode, isRemoved: boolean): void {
  if (isRemoved) refuse('CONFLICT', `The node ${hostname} is being removed, so it cannot be changed`)
}

/** Refuses a drain that stops services which cannot move, or on Berth's own node ends routes or work. */
function refuseLosses({ local, hostname: node }: FoundNode, services: Pinned[], losses: DrainLosses): void {
  const { hosts, work } = losses
  if (!local) {
    if (services.length > 0) refuseWith({ reason: 'DrainStopsServices', node, pinned: services.map(pinnedText) })
    return
  }
  if (services.length + hosts.length + work.length === 0) return
  // The message names the proxy together with its hosts.
  const others = services.filter(({ type }) => hosts.length === 0 || type !== 'proxy')
  refuseWith({ reason: 'DrainEndsRoutes', node, hosts, pinned: others.map(pinnedText), work })
}

function refuseWith(reason: NodeDrainReason): never {
  refuse('CONFLICT', reasonMessage(reason), { reason: reason.reason })
}

/** Records a drain that waits, unless one is waiting already. Returns its deployment. */
async function requestDrain(
  { newId, now }: ActionContext,
  tx: Writer,
  node: FoundNode,
  { work }: DrainLosses,
): Promise<string> {
  const present = await nodeDeployment(tx, node.id)
  refuseDuringRemoval(node, present?.action === 'removeNode')
  if (present !== undefined) return present.id
  const id = newId()
  await beginDrain(tx, id, node, work, now())
  return id
}

/** Ends a drain that was waiting, because this call sets the availability. */
async function endWaiting(
  { now }: ActionContext,
  tx: Writer,
  nodeId: string,
  outcome: 'done' | 'superseded',
): Promise<void> {
  const present = await nodeDeployment(tx, nodeId)
  if (present?.action === 'drainNode') await endDrain(tx, present, outcome, now())
}
