/**
 * Where a tool runs that connects to the server of a service: on the node of the service's container, in the network of
 * this container. A paused node accepts no other container on Berth's network.
 */
import { unreachableEngines } from '../cluster/queries.ts'
import type { ToolLocation } from '../dumps/archive.ts'
import type { Runtime } from '../runtime.ts'

/** Returns null if no container of the service runs. */
export async function locateServer({ engine }: Pick<Runtime, 'engine'>, service: string): Promise<ToolLocation | null> {
  const tasks = await engine.tasks([service])
  const task = tasks.find(({ state, desired }) => state === 'running' && desired === 'running')
  if (task === undefined || task.containerId === null || task.nodeId === null) return null
  return { nodeId: task.nodeId, networkOf: task.containerId }
}

/**
 * Returns where the tools of a running service run. While the engine of its node cannot be reached, they run on Berth's
 * own node and reach the server over Berth's network.
 */
export async function toolLocationOf(
  { db, engine }: Pick<Runtime, 'db' | 'engine'>,
  service: string,
): Promise<ToolLocation> {
  const location = await locateServer({ engine }, service)
  if (location?.nodeId === undefined || (await unreachableEngines(db)).has(location.nodeId)) return {}
  return location
}
