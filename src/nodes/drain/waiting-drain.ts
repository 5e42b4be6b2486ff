/**
 * A drain that waits for the work of Berth on the node. The drain ends the way to the node's engine, so the work could
 * not end afterwards. The loop over the nodes drains the node when the work has ended.
 */
import { isDeepStrictEqual } from 'node:util'
import { beginNodeRemoval, deleteNode, endNodeRemoval } from '../../cluster/queries.ts'
import type { NodeTable } from '../../cluster/table.ts'
import { engineReason } from '../../deployments/engine-reason.ts'
import * as deployments from '../../deployments/queries.ts'
import type { NodeDrainReason, NodeWork } from '../../deployments/reason.ts'
import type { DeploymentTable } from '../../deployments/table.ts'
import { EngineFailure } from '../../engine/engine.ts'
import type { FoundNode } from '../../engine/node.ts'
import { fromJson } from '../../lib/json.ts'
import type { Runtime } from '../../runtime.ts'
import type { Reader, Writer } from '../../store/schema.ts'
import { workOn } from './work.ts'

/** Returns the deployment of a removal or drain of the node; undefined if neither is in progress. */
export async function nodeDeployment(db: Reader, nodeId: string): Promise<DeploymentTable | undefined> {
  return db
    .selectFrom('node')
    .innerJoin('deployment', 'deployment.id', 'node.deploymentId')
    .selectAll('deployment')
    .where('node.id', '=', nodeId)
    .executeTakeFirst()
}

/** Records a drain that waits for the work. */
export async function beginDrain(tx: Writer, id: string, node: FoundNode, work: NodeWork[], now: Date): Promise<void> {
  const subject: deployments.Subject = { kind: 'node', id: node.id, type: 'node', name: node.hostname }
  await deployments.begin(tx, { id, action: 'drainNode', subject, reason: { reason: 'WorkOnNode', work } }, now)
  const observation = { id: node.id, hostname: node.hostname, state: node.state, since: now.toISOString() }
  await beginNodeRemoval(tx, observation, { deploymentId: id, force: 0, availability: node.availability })
}

/** Ends a drain because a later call set the availability: `done` if that call drained the node. */
export async function endDrain(
  tx: Writer,
  { id, subjectId }: DeploymentTable,
  outcome: 'done' | 'superseded',
  now: Date,
): Promise<void> {
  if (outcome === 'done') await deployments.finish(tx, id, 'done', null, now)
  else await deployments.supersede(tx, id, now)
  await endNodeRemoval(tx, subjectId)
}

/** Drains the node if no work is left on it. The next turn of the loop takes the next step. */
export async function stepDrain(
  runtime: Runtime,
  row: NodeTable,
  deployment: DeploymentTable,
  node: FoundNode | undefined,
): Promise<'again' | 'idle'> {
  const { db, engine, transact } = runtime
  if (node === undefined) return finish(runtime, row, deployment, { reason: 'DrainedNodeLeft' })
  if (node.availability === 'drain') return finish(runtime, row, deployment, null)
  // The work on a node that is down cannot end.
  const work = node.state === 'down' ? [] : await workOn(db, node.id, await engine.attachedJobs(node.id))
  if (work.length > 0) {
    const reason: NodeDrainReason = { reason: 'WorkOnNode', work }
    if (!isDeepStrictEqual(fromJson(deployment.reason), reason)) {
      await transact((tx) => deployments.recordReason(tx, deployment.id, reason))
    }
    return 'idle'
  }
  // A call that sets the availability ends the drain first, and then changes the node.
  const isWaiting = async () => (await nodeDeployment(db, node.id))?.id === deployment.id
  try {
    await engine.updateNode(node.id, { availability: 'drain' }, isWaiting)
    return 'again'
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    if (error.reason === 'missing') return 'again'
    return finish(runtime, row, deployment, engineReason(error))
  }
}

async function finish(
  { transact, now, log }: Runtime,
  row: NodeTable,
  { id }: DeploymentTable,
  reason: NodeDrainReason | ReturnType<typeof engineReason> | null,
): Promise<'idle'> {
  const isEnded = await transact(async (tx) => {
    // A call may have ended this drain since it was read, and another may have begun.
    if ((await nodeDeployment(tx, row.id))?.id !== id) return false
    await deployments.finish(tx, id, reason === null ? 'done' : 'error', reason, now())
    if (reason?.reason === 'DrainedNodeLeft') await deleteNode(tx, row.id)
    else await endNodeRemoval(tx, row.id)
    return true
  })
  if (isEnded) log.info('the drain of a node ended', { nodeId: row.id, hostname: row.hostname, reason })
  return 'idle'
}
