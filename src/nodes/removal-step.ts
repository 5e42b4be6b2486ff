/**
 * Removes a node in steps: wait for the work of Berth on the node, drain the node, wait until its tasks have ended,
 * demote the node if it is a manager, remove the node. Each step reads the state from the store and the engine. If the
 * removal fails, Berth restores the availability of the node. Berth does not revert a demotion, because two role changes
 * in quick succession can cost the swarm its quorum.
 */
import { failForLostData } from '../databases/queries.ts'
import { isDeepStrictEqual } from 'node:util'
import { engineReason } from '../deployments/engine-reason.ts'
import * as deployments from '../deployments/queries.ts'
import type { NodeRemovalFailure, NodeRemovalReason, NodeRemovalWait } from '../deployments/reason.ts'
import type { DeploymentTable } from '../deployments/table.ts'
import { EngineFailure, type FoundTask } from '../engine/engine.ts'
import { nodeStayReason } from '../engine/managers.ts'
import type { Availability, FoundNode } from '../engine/node.ts'
import { fromJson } from '../lib/json.ts'
import type { NodeTable } from '../cluster/table.ts'
import { deleteNode, endNodeRemoval, isOfDatabase, nameOfVolume, volumesOn } from '../cluster/queries.ts'
import type { VolumeTable, Writer } from '../store/schema.ts'
import type { Runtime } from '../runtime.ts'
import { workOn } from './drain/work.ts'
import { engineServiceName } from './engines/spec.ts'

/** Time limit for the end of a drained node's tasks and its demotion together. A database stops within 50 s. */
const removalTimeoutMs = 600_000
/**
 * The minimum time between draining and demoting a manager. A new manager counts towards the quorum before it has
 * received the managers' log. If a manager is demoted at that moment, the quorum can be lost permanently. The delay
 * gives a new manager time to receive the log.
 */
const demotionDelayMs = 3000

interface Removal {
  row: NodeTable
  deployment: DeploymentTable
  node: FoundNode
}

/**
 * Takes one step of a removal.
 * @param nodes the current nodes of the swarm
 * @returns `again` if the removal needs another step
 */
export async function stepRemoval(
  runtime: Runtime,
  row: NodeTable,
  deployment: DeploymentTable,
  nodes: FoundNode[],
): Promise<'again' | 'ended'> {
  const node = nodes.find(({ id }) => id === row.id)
  if (node === undefined) return finishRemoval(runtime, row, deployment)
  const removal = { row, deployment, node }
  try {
    return deployment.phase === 'apply'
      ? await step(runtime, removal, nodes)
      : await restoreAvailability(runtime, removal)
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    // The node has left the swarm since `nodes` was read. The next step observes this.
    if (error.reason === 'missing' && !isLate(runtime, removal)) return 'again'
    const failure = engineReason(error)
    if (deployment.phase === 'apply') return rollBack(runtime, removal, failure)
    return failRemoval(runtime, removal, { reason: 'AvailabilityNotRestored', cause: failureOf(removal), failure })
  }
}

async function step(runtime: Runtime, removal: Removal, nodes: FoundNode[]): Promise<'again' | 'ended'> {
  const { engine } = runtime
  const { row, deployment, node } = removal
  const why = nodeStayReason(node, nodes)
  if (why !== null) return rollBack(runtime, removal, why)
  if (node.availability !== 'drain') {
    // A drain ends the way to the node's engine. With force, the data on the node is given up, and so is the work.
    const isWorkGivenUp = row.force === 1 || node.state === 'down'
    const work = isWorkGivenUp ? [] : await workOn(runtime.db, node.id, await engine.attachedJobs(node.id))
    if (work.length > 0) return waitFor(runtime, removal, { reason: 'WorkOnNode', work })
    await engine.updateNode(node.id, { availability: 'drain' })
    const { id } = deployment
    await runtime.transact((tx) => deployments.restartPhase(tx, id, { reason: 'NodeDraining' }, runtime.now()))
    return 'again'
  }
  // A node that is down no longer reports its tasks, and Swarm has already replaced them on other nodes.
  const tasks = node.state === 'down' ? [] : await engine.tasksOn(node.id)
  // The port to the node's engine ends with the node.
  const remaining = tasks.filter(({ serviceName }) => serviceName !== engineServiceName(node.id))
  if (remaining.length > 0) {
    const services = servicesOf(remaining)
    return waitFor(runtime, removal, { reason: 'TasksOnNode', count: remaining.length, services })
  }
  if (node.role === 'manager') {
    if (runtime.now().getTime() - Date.parse(deployment.phaseAt) < demotionDelayMs) return 'again'
    await engine.updateNode(node.id, { role: 'worker' })
    return recordProgress(runtime, removal, { reason: 'NodeDemoting' })
  }
  if (node.manager !== null) return waitFor(runtime, removal, { reason: 'StillManager' })
  // If a node is up, Swarm refuses to remove it without force. Only the node's own Docker API can make it leave first.
  await engine.removeNode(node.id, node.state !== 'down')
  return finishRemoval(runtime, row, deployment)
}

const servicesOf = (tasks: FoundTask[]) => [...new Set(tasks.map(({ serviceName }) => serviceName))].sort()

const isLate = ({ now }: Runtime, { deployment }: Pick<Removal, 'deployment'>) =>
  now().getTime() - Date.parse(deployment.phaseAt) >= removalTimeoutMs

async function waitFor(runtime: Runtime, removal: Removal, wait: NodeRemovalWait): Promise<'again' | 'ended'> {
  if (!isLate(runtime, removal)) return recordProgress(runtime, removal, wait)
  return rollBack(runtime, removal, { reason: 'NodeRemovalTimedOut', minutes: removalTimeoutMs / 60_000, cause: wait })
}

/** Stores `reason`, which the API returns as the progress of the removal. */
async function recordProgress({ transact }: Runtime, { deployment }: Removal, reason: NodeRemovalReason) {
  const isNew = !isDeepStrictEqual(fromJson(deployment.reason), reason)
  if (isNew) await transact((tx) => deployments.recordReason(tx, deployment.id, reason))
  return 'again' as const
}

async function rollBack({ transact, now }: Runtime, { deployment }: Removal, reason: NodeRemovalFailure) {
  await transact((tx) => deployments.enterPhase(tx, deployment.id, 'rollback', reason, now()))
  return 'again' as const
}

async function restoreAvailability(runtime: Runtime, removal: Removal): Promise<'ended'> {
  const { row, node } = removal
  const { availability } = row
  const cause = failureOf(removal)
  if (node.availability === availability) return failRemoval(runtime, removal, cause)
  await runtime.engine.updateNode(node.id, { availability: availability as Availability })
  return failRemoval(runtime, removal, { reason: 'AvailabilityRestored', availability, cause })
}

/** Returns why the removal failed. The deployment has had this reason since it left the phase `apply`. */
const failureOf = ({ deployment }: Removal) => fromJson(deployment.reason) as NodeRemovalFailure

/** Ends the removal with an error. The node stays in the swarm. */
async function failRemoval(
  { transact, now, log }: Runtime,
  { row, deployment }: Removal,
  reason: NodeRemovalReason,
): Promise<'ended'> {
  await transact(async (tx) => {
    await deployments.finish(tx, deployment.id, 'error', reason, now())
    await endNodeRemoval(tx, row.id)
  })
  log.warn('a node could not be removed', { nodeId: row.id, hostname: row.hostname, reason })
  return 'ended'
}

async function finishRemoval(runtime: Runtime, row: NodeTable, deployment: DeploymentTable): Promise<'ended'> {
  const { transact, now, log } = runtime
  await transact(async (tx) => {
    const volumes = await volumesOn(tx, row.id)
    await failDatabases(tx, row, volumes.filter(isOfDatabase), now())
    const reason: NodeRemovalReason | null =
      volumes.length === 0 ? null : { reason: 'VolumesLost', volumes: volumes.map(nameOfVolume) }
    await deployments.finish(tx, deployment.id, 'done', reason, now())
    await deleteNode(tx, row.id)
  })
  log.info('a node was removed', { nodeId: row.id, hostname: row.hostname })
  return 'ended'
}

/**
 * Puts the databases of these volumes into the error state. The databases stay pinned to the removed node, so that
 * Berth never starts them with an empty volume on another node.
 */
async function failDatabases(tx: Writer, { hostname }: NodeTable, volumes: VolumeTable[], now: Date): Promise<void> {
  for (const { ownerId } of volumes) await failForLostData(tx, ownerId!, { reason: 'DataLost', node: hostname }, now)
}
