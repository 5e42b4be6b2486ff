/**
 * Removes a service when the swarm deletes none of its tasks. If the swarm deletes a task while it handles the removal of
 * the service, the engine of the manager ends, and with it all servers on its node: it uses the task that is gone
 * (`SetServiceTasksRemove` in swarmkit's manager/orchestrator/service.go; seen with Docker 20.10, decision 0064).
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { ApiSwarm, ApiTask } from '../transport/api.ts'
import type { DockerClient } from '../transport/client.ts'
import { isMissing } from '../transport/errors.ts'
import { hasEnded } from './from-api.ts'

/** The swarm deletes a task about 0.25 s after the task's last change. Tasks that stay longer are not deleted soon. */
const maxWaitMs = 5000
const pollMs = 100

/** Removes the service. Does nothing if it does not exist. */
export async function removeWithTasks(client: DockerClient, serviceId: string): Promise<void> {
  try {
    const end = Date.now() + maxWaitMs
    while ((await hasTasksToDelete(client, serviceId)) && Date.now() < end) await pause(pollMs)
    await client.call({ method: 'DELETE', path: `/services/${serviceId}` })
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

async function hasTasksToDelete(client: DockerClient, serviceId: string): Promise<boolean> {
  const tasks = await client.call<ApiTask[]>({ path: '/tasks', query: { filters: { service: [serviceId] } } })
  if (tasks.every((task) => isAssigned(task) && !hasEnded(task))) return false
  const { Spec } = await client.call<ApiSwarm>({ path: '/swarm' })
  return isAboutToDelete(tasks, Spec.Orchestration?.TaskHistoryRetentionLimit ?? defaultHistoryLimit)
}

/** The swarm's default number of tasks that it keeps in each slot of a service. */
const defaultHistoryLimit = 5

const isAssigned = ({ Status }: ApiTask) => !['new', 'pending'].includes(Status.State)

/**
 * Whether the swarm will delete one of the tasks as soon as it can: a task that is to be removed and does not run, an
 * orphaned task, or an ended task in a slot with more tasks than the swarm keeps.
 * @param historyLimit the number of tasks that the swarm keeps in each slot; below 0: all
 */
export function isAboutToDelete(tasks: ApiTask[], historyLimit: number): boolean {
  const isLeftover = (task: ApiTask) =>
    task.Status.State === 'orphaned' || (task.DesiredState === 'remove' && (hasEnded(task) || !isAssigned(task)))
  if (tasks.some(isLeftover)) return true
  if (historyLimit < 0) return false
  const slots = Map.groupBy(tasks, ({ Slot, NodeID }) => Slot ?? NodeID)
  return slots.values().some((inSlot) => inSlot.length > historyLimit && inSlot.some(hasEnded))
}
