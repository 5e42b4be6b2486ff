/** Derives the state of a database from its tasks, while no deployment is in progress. Pure. */
import type { Outage } from '../../deployments/reason.ts'
import type { FoundTask } from '../../engine/engine.ts'
import type { DatabaseTable } from '../../store/schema.ts'
import { taskReason } from '../reconcile/task-health.ts'

export type ObservedRow = Pick<
  DatabaseTable,
  'observed' | 'containerState' | 'downSince' | 'applicationStatus' | 'provenTask'
>

export type Observation =
  | { is: 'same' }
  /** The database runs again, or runs in a container that no login has proven. */
  | { is: 'needsLogin'; task: FoundTask }
  /** The database is down, and Swarm is restarting it. */
  | { is: 'restarting'; containerState: string; task: FoundTask | null }
  /** The database stays down despite Swarm's restarts. */
  | {
      is: 'stillDown'
      containerState: string
      status: Extract<Outage, { reason: 'StillDown' }>
      task: FoundTask | null
    }

/** Swarm's restarts count as unsuccessful after this number of failures, or after this time. */
const maxFailures = 3
const downMs = 60_000

/**
 * Compares the tasks with the stored state.
 *
 * @param before the stored state
 * @param tasks the tasks of the database's service, newest first. If one of them runs, only the tasks with the desired
 * state `running` are needed
 * @param now the present time, in milliseconds since the epoch
 */
export function observe(before: ObservedRow, tasks: FoundTask[], now: number): Observation {
  const live = tasks.find((task) => task.desired === 'running')
  if (live?.state === 'running') {
    const isProven = before.observed === 'up' && before.provenTask === live.id
    return isProven ? { is: 'same' } : { is: 'needsLogin', task: live }
  }
  const containerState = live?.state ?? 'missing'
  // Swarm also keeps old failed tasks. They are not the cause of the present outage.
  const task = tasks.find((task) => isFailure(task) && now - Date.parse(task.updatedAt) < downMs) ?? null
  const restarting = { is: 'restarting', containerState, task } as const
  if (before.downSince === null) return restarting
  const since = Date.parse(before.downSince)
  const failures = tasks.filter((task) => isFailure(task) && Date.parse(task.updatedAt) >= since)
  const isStillDown = failures.length >= maxFailures || now - since >= downMs
  if (isStillDown && before.observed !== 'down') {
    const seconds = Math.max(0, Math.round((now - since) / 1000))
    return stillDown(containerState, seconds, failures[0] ?? live ?? null)
  }
  return containerState === before.containerState ? { is: 'same' } : restarting
}

const isFailure = ({ state }: FoundTask) => ['failed', 'rejected', 'complete'].includes(state)

function stillDown(containerState: string, seconds: number, task: FoundTask | null): Observation {
  const cause = task === null ? null : taskReason(task)
  return { is: 'stillDown', containerState, status: { reason: 'StillDown', seconds, cause }, task }
}
