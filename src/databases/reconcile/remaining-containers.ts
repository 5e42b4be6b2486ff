/** What of services that are to have no containers has not ended yet. */
import type { FoundTask } from '../../engine/engine.ts'
import type { ServiceSpec } from '../../engine/spec.ts'
import { isEnded } from './task-health.ts'
import type { Runtime } from '../../runtime.ts'

/**
 * The names of the containers that are left. `emptied`: the one of the services that is still there, without replicas.
 * A task that reports its state at the moment in which the swarm is about to end it may be forgotten: it stays wanted,
 * and SwarmKit looks at it again only when the service is updated once more, with whatever. Seen with Docker 20.10 once
 * in some hundred stops; its log says "failed to update task to REMOVE", "update out of sequence".
 */
export async function leftOf({ engine }: Runtime, names: string[], emptied: ServiceSpec | null): Promise<string[]> {
  const left = (await Promise.all(names.map((name) => engine.liveContainers(name)))).flat()
  if (left.length === 0 || emptied === null) return left
  if ((await engine.tasks([emptied.name])).some(isForgotten)) await engine.updateService(emptied)
  return left
}

const isForgotten = (task: FoundTask) => task.desired === 'running' && !isEnded(task)
