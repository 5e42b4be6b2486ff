/** Lists the containers of stopped or removed services that have not ended yet. */
import type { FoundTask } from '../../engine/engine.ts'
import type { ServiceSpec } from '../../engine/spec.ts'
import { isEnded } from './task-health.ts'
import type { Runtime } from '../../runtime.ts'

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
