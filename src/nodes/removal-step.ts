/**
 * One step of the removal of a node: drain it, wait until nothing runs there, make a worker of a manager, remove it. A
 * step begins from the store and the engine alone. Where the work fails, the node gets its availability back; whether
 * it is a manager is not given back, for two changes of that shortly after each other cost a swarm its quorum.
 */
import { failForLostData } from '../databases/queries.ts'
import { isDeepStrictEqual } from 'node:util'
import { engineReason } from '../deployments/engine-reason.ts'
import * as deployments from '../deployments/queries.ts'
import type { NodeRemovalFailure, NodeRemovalReason, NodeRemovalWait } from '../deployments/reason.ts'
import type { DeploymentTable } from '../deployments/table.ts'
import { EngineFailure, type FoundTask } from '../engine/engine.ts'
import { whyItStays } from '../engine/managers.ts'
import type { Availability, FoundNode } from '../engine/node.ts'
import { fromJson } from '../lib/json.ts'
import type { NodeTable } from '../cluster/table.ts'
import { deleteNode, endNodeRemoval, isOfDatabase, nameOfVolume, volumesOn } from '../cluster/queries.ts'
import type { VolumeTable, Writer } from '../store/schema.ts'
import type { Runtime } from '../runtime.ts'

/** For everything on the node to end and come up elsewhere; a database takes 50 s to stop at most. */
const leaveMs = 600_000
/** One that became a manager just now counts before it has caught up: to demote it then ends the quorum for good. */
const settleMs = 3000

interface Removal {
  row: NodeTable
  deployment: DeploymentTable
  node: FoundNode
}

/** `nodes`: as they are now. */
export async function advanceRemoval(runtime: Runtime, row: NodeTable, nodes: FoundNode[]): Promise<'more' | 'ended'> {
  const deployment = await deployments.get(runtime.db, row.deploymentId!)
  const node = nodes.find(({ id }) => id === row.id)
  if (node === undefined) return removed(runtime, row, deployment)
  const it = { row, deployment, node }
  try {
    return deployment.phase === 'apply' ? await step(runtime, it, nodes) : await giveBack(runtime, it)
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    // Gone, or another writer was first: the next turn sees how it is.
    if (error.reason === 'missing' && !isLate(runtime, it)) return 'more'
    if (deployment.phase === 'apply') return turnBack(runtime, it, engineReason(error))
    return end(runtime, it, { reason: 'AvailabilityNotRestored', cause: failureOf(it), failure: engineReason(error) })
  }
}

async function step(runtime: Runtime, it: Removal, nodes: FoundNode[]): Promise<'more' | 'ended'> {
  const { engine } = runtime
  const { node } = it
  const why = whyItStays(node, nodes)
  if (why !== null) return turnBack(runtime, it, why)
  if (node.availability !== 'drain') {
    await engine.updateNode(node.id, { availability: 'drain' })
    const { id } = it.deployment
    await runtime.transact((tx) => deployments.restartPhase(tx, id, { reason: 'NodeDraining' }, runtime.now()))
    return 'more'
  }
  // From a node that is down nothing more is heard: what ran there is made anew elsewhere already.
  const left = node.state === 'down' ? [] : await engine.tasksOn(node.id)
  if (left.length > 0) {
    return waitFor(runtime, it, { reason: 'TasksOnNode', count: left.length, services: servicesOf(left) })
  }
  if (node.role === 'manager') {
    if (runtime.now().getTime() - Date.parse(it.deployment.phaseAt) < settleMs) return 'more'
    await engine.updateNode(node.id, { role: 'worker' })
    return goOn(runtime, it, { reason: 'NodeDemoting' })
  }
  if (node.manager !== null) return waitFor(runtime, it, { reason: 'StillManager' })
  // A node that is up is refused without force, and cannot be told to leave from outside.
  await engine.removeNode(node.id, node.state !== 'down')
  return removed(runtime, it.row, it.deployment)
}

const servicesOf = (tasks: FoundTask[]) => [...new Set(tasks.map(({ serviceName }) => serviceName))].sort()

const isLate = ({ now }: Runtime, { deployment }: Pick<Removal, 'deployment'>) =>
  now().getTime() - Date.parse(deployment.phaseAt) >= leaveMs

async function waitFor(runtime: Runtime, it: Removal, wait: NodeRemovalWait): Promise<'more' | 'ended'> {
  if (!isLate(runtime, it)) return goOn(runtime, it, wait)
  return turnBack(runtime, it, { reason: 'NodeRemovalTimedOut', minutes: leaveMs / 60_000, cause: wait })
}

/** The reason tells how far it is come. */
async function goOn({ transact }: Runtime, { deployment }: Removal, reason: NodeRemovalReason) {
  const isNew = !isDeepStrictEqual(fromJson(deployment.reason), reason)
  if (isNew) await transact((tx) => deployments.recordReason(tx, deployment.id, reason))
  return 'more' as const
}

async function turnBack({ transact, now }: Runtime, { deployment }: Removal, reason: NodeRemovalFailure) {
  await transact((tx) => deployments.enterPhase(tx, deployment.id, 'rollback', reason, now()))
  return 'more' as const
}

async function giveBack(runtime: Runtime, it: Removal): Promise<'ended'> {
  const { row, node } = it
  const { availability } = row
  const cause = failureOf(it)
  if (node.availability === availability) return end(runtime, it, cause)
  await runtime.engine.updateNode(node.id, { availability: availability as Availability })
  return end(runtime, it, { reason: 'AvailabilityRestored', availability, cause })
}

/** Why the removal failed: its deployment has held that since it left the phase `apply`. */
const failureOf = ({ deployment }: Removal) => fromJson(deployment.reason) as NodeRemovalFailure

/** In error: the node stays. */
async function end(
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

async function removed(runtime: Runtime, row: NodeTable, deployment: DeploymentTable): Promise<'ended'> {
  const { transact, now, log } = runtime
  await transact(async (tx) => {
    const volumes = await volumesOn(tx, row.id)
    await giveUp(tx, row, volumes.filter(isOfDatabase), now())
    const reason: NodeRemovalReason | null =
      volumes.length === 0 ? null : { reason: 'VolumesLost', volumes: volumes.map(nameOfVolume) }
    await deployments.finish(tx, deployment.id, 'done', reason, now())
    await deleteNode(tx, row.id)
  })
  log.info('a node was removed', { nodeId: row.id, hostname: row.hostname })
  return 'ended'
}

/** What has its data there is in error from now on; it stays pinned there, and so is never started empty elsewhere. */
async function giveUp(tx: Writer, { hostname }: NodeTable, volumes: VolumeTable[], now: Date): Promise<void> {
  for (const { ownerId } of volumes) await failForLostData(tx, ownerId!, { reason: 'DataLost', node: hostname }, now)
}
