/** Waits until the containers of stopped or removed services have ended, and ends the deployment. */
import type { DatabaseWait, VolumeRemovalReason } from '../../deployments/reason.ts'
import { EngineFailure, type FoundNode, type FoundTask } from '../../engine/engine.ts'
import { isTransient } from '../../engine/failures.ts'
import type { ServiceSpec } from '../../engine/spec.ts'
import type { VolumeTable } from '../../store/schema.ts'
import { nodeUnavailableReason } from '../../cluster/availability.ts'
import { dropVolume } from '../../volumes/loop.ts'
import type { StepContext } from './fail.ts'
import { recordRemovalDelay, recordRemoved, recordStopped, recordWait } from './outcome.ts'
import { isEnded } from './task-health.ts'
import type { Runtime } from '../../runtime.ts'

/** Most containers stop within this time. */
export const usualStopMs = 5000
/** After this time, a step records that containers have not stopped. Longer than `graceSeconds` in specs.ts. */
export const maxStopMs = 120_000

type ReadNodes = () => Promise<FoundNode[]>

/**
 * If the last container has ended, removes the volume if requested, and ends the deployment. Otherwise a later step
 * does.
 *
 * @param names the names of the database's services
 * @param stoppedSpec the service that still exists with zero replicas; null if every service is removed
 */
export async function drain(
  runtime: Runtime,
  context: StepContext,
  names: string[],
  nodes: ReadNodes,
  stoppedSpec: ServiceSpec | null,
): Promise<void> {
  const { row } = context.job
  const remaining = await remainingContainers(runtime, names, stoppedSpec)
  if (remaining.length > 0) return recordStopDelay(runtime, context, nodes, remaining)
  if (row.goal !== 'gone') return recordStopped(runtime, context.job)
  if (row.removeData === 0 || context.volume === null) return recordRemoved(runtime, context.job, null)
  return recordRemoved(runtime, context.job, await removeVolume(runtime, context.volume))
}

/** If containers take longer than usual to stop, records the reason. */
async function recordStopDelay(
  runtime: Runtime,
  { job, volume }: StepContext,
  nodes: ReadNodes,
  remaining: string[],
): Promise<void> {
  const sinceMs = job.readAtMs - Date.parse(job.deployment.phaseAt)
  if (volume === null || sinceMs < usualStopMs) return
  const unavailable = nodeUnavailableReason(await nodes(), volume)
  if (unavailable === null && sinceMs < maxStopMs) return
  const reason: DatabaseWait =
    unavailable === null
      ? { reason: 'ContainersStopping', containers: remaining }
      : { reason: 'StopUnconfirmed', cause: unavailable }
  return job.row.goal === 'gone' ? recordRemovalDelay(runtime, job, reason) : recordWait(runtime, job, reason)
}

/**
 * Removes the volume.
 *
 * @returns null if the volume was removed, or the reason why it was not
 * @throws EngineFailure if the failure is transient: a later turn then tries again
 */
async function removeVolume(runtime: Runtime, volume: VolumeTable): Promise<VolumeRemovalReason | null> {
  try {
    const reason = await dropVolume(runtime, volume)
    // The record of a volume whose node has left the swarm is deleted too.
    return reason?.reason === 'VolumeInUse' ? reason : null
  } catch (error) {
    if (!(error instanceof EngineFailure) || isTransient(error)) throw error
    return { reason: 'VolumeKept', volume: volume.name, detail: error.message }
  }
}

/**
 * The names of the containers that may still run, also of those on nodes that are down.
 *
 * Swarm can lose the request to stop a task if the task reports its state at the same moment. The task then stays in
 * the desired state `running`, and SwarmKit stops it only after another update of the service. This was observed with
 * Docker 20.10 about once in a hundred stops; the daemon logs "failed to update task to REMOVE", "update out of
 * sequence". If this has happened, this function updates the service again.
 *
 * @param names the names of the services
 * @param stoppedSpec the service that still exists with zero replicas; null if every service is removed
 */
export async function remainingContainers(
  { engine }: Runtime,
  names: string[],
  stoppedSpec: ServiceSpec | null,
): Promise<string[]> {
  const remaining = (await Promise.all(names.map((name) => engine.liveContainers(name)))).flat()
  if (remaining.length === 0 || stoppedSpec === null) return remaining
  if ((await engine.tasks([stoppedSpec.name])).some(isStillWanted)) await engine.updateService(stoppedSpec)
  return remaining
}

const isStillWanted = (task: FoundTask) => task.desired === 'running' && !isEnded(task)
