/**
 * The operation that removes a node. The operation checks the request and records the removal. The loop then takes the
 * steps of the removal (nodes/removal-step.ts).
 */
import { z } from 'zod'
import { type ActionContext, action } from '../../api/contract.ts'
import * as deployments from '../../deployments/queries.ts'
import type { DeploymentReason } from '../../deployments/reason.ts'
import { reasonAnswer, reasonMessage } from '../../deployments/reason-message.ts'
import { nodeStayReason } from '../../engine/managers.ts'
import type { FoundNode } from '../../engine/node.ts'
import { refuse } from '../../errors.ts'
import { toJson } from '../../lib/json.ts'
import { listOf } from '../../lib/text/listing.ts'
import { beginNodeRemoval, nameOfVolume, volumesOn } from '../../cluster/queries.ts'
import { endDrain, nodeDeployment } from '../drain/waiting-drain.ts'
import type { Reader, Writer } from '../../store/schema.ts'
import { nodeOf, nodesWith } from './cluster.ts'
import { answeredIdOf, idOf } from '../../api/fields.ts'
import { ReasonCode } from '../../deployments/fields.ts'

const Removal = z.object({
  nodeId: answeredIdOf('node'),
  hostname: z.string().describe('Host name of the node'),
  deploymentId: answeredIdOf('deployment that removes the node; see deployment.all'),
  state: z.enum(['running', 'done']).describe('done: the node is no longer in the swarm'),
  reason: z.string().nullable().describe('The progress of the removal'),
  reasonCode: ReasonCode,
  force: z.boolean().describe('Whether data on the node, if there is any, is given up'),
  lost: z
    .array(z.string())
    .describe('The databases and volumes whose data is on the node and is lost. Empty without force'),
})

export const removeWorker = action({
  name: 'cluster.removeWorker',
  summary: 'Drain a node, wait until its services have moved, and remove the node from the swarm',
  description:
    'Berth demotes a manager to a worker before it removes the node. `Prefer: wait` waits for the end of the ' +
    'removal. cluster.getNodes and deployment.all report the progress. If the removal does not succeed within ten ' +
    'minutes, Berth restores the availability of the node. After the removal, run `docker swarm leave` on the machine ' +
    "if it is up. Berth never removes the last manager, a manager that the quorum needs, or the node of Berth's own engine, " +
    'even with `force`.',
  access: 'admin:admin',
  input: z.object({
    nodeId: idOf('node'),
    force: z
      .boolean()
      .default(false)
      .describe(
        'Removes the node even if it has the data of databases or kept volumes. This data is lost, and the databases ' +
          'are in the state error afterwards',
      ),
  }),
  output: Removal,
  refusals: ['NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE', 'BAD_GATEWAY'],
  async run(context, { nodeId, force }) {
    const nodes = await nodesWith(context, nodeId)
    const node = nodeOf(nodes, nodeId)
    const why = nodeStayReason(node, nodes)
    if (why !== null) refuse('CONFLICT', reasonMessage(why), { reason: why.reason })
    return context.conclude(async (tx, wake, follow) => {
      const removal = await begin(context, tx, node, force)
      wake('nodes')
      follow(removal.deploymentId)
      return removal
    })
  },
  finalAnswer: async ({ db }, _input, [deploymentId = '']) => {
    const { subjectId: nodeId, appName, state, reason } = await deployments.get(db, deploymentId)
    const lost = await lostWith(db, nodeId)
    const removalState = state === 'done' ? ('done' as const) : ('running' as const)
    return {
      nodeId,
      hostname: appName!,
      deploymentId,
      state: removalState,
      ...reasonAnswer(reason),
      force: lost.length > 0,
      lost,
    }
  },
})

async function lostWith(db: Reader, nodeId: string): Promise<string[]> {
  return (await volumesOn(db, nodeId)).map(nameOfVolume)
}

async function begin({ now, newId }: ActionContext, tx: Writer, node: FoundNode, force: boolean) {
  const before = await nodeDeployment(tx, node.id)
  if (before?.action === 'removeNode') refuse('CONFLICT', `The node ${node.hostname} is already being removed`)
  const lost = await lostWith(tx, node.id)
  if (lost.length > 0 && !force) {
    refuse(
      'CONFLICT',
      `Node ${node.hostname} has data that cannot move: ${listOf(lost)}. Back up the data, restore it into services ` +
        'on another node, and remove these services and volumes. Or send force: true to lose the data permanently',
    )
  }
  const [deploymentId, at] = [newId(), now()]
  if (before !== undefined) await endDrain(tx, before, 'superseded', at)
  const reason: DeploymentReason = { reason: 'DrainPending' }
  const subject: deployments.Subject = { kind: 'node', id: node.id, type: 'node', name: node.hostname }
  await deployments.begin(tx, { id: deploymentId, action: 'removeNode', subject, reason }, at)
  const removal = { deploymentId, force: force ? (1 as const) : (0 as const), availability: node.availability }
  const observation = { id: node.id, hostname: node.hostname, state: node.state, since: at.toISOString() }
  await beginNodeRemoval(tx, observation, removal)
  const answer = reasonAnswer(toJson(reason))
  return { nodeId: node.id, hostname: node.hostname, deploymentId, state: 'running' as const, ...answer, force, lost }
}
