/** What is seen of a database that nobody is working on: from its tasks to a state. Pure. */
import type { Outage } from '../../deployments/reason.ts'
import type { FoundTask } from '../../engine/engine.ts'
import type { DatabaseTable } from '../../store/schema.ts'
import { taskReason } from '../reconcile/task-health.ts'

export type Seen = Pick<DatabaseTable, 'observed' | 'containerState' | 'downSince' | 'applicationStatus' | 'provenTask'>

export type Sight =
  | { is: 'same' }
  /** It runs again, or in another container than was proven: whether it answers is for the login probe to say. */
  | { is: 'back'; task: FoundTask }
  /** Down, and the swarm is at it. */
  | { is: 'restarting'; containerState: string; task: FoundTask | null }
  /** It stays down. */
  | { is: 'lost'; containerState: string; status: Extract<Outage, { reason: 'StillDown' }>; task: FoundTask | null }

/** After so many failures, or so long, a restart by the swarm has not helped. */
const maxFailures = 3
const downMs = 60_000

/** `tasks` newest first, of its service alone; of a healthy one only those that are wanted running. */
export function observe(before: Seen, tasks: FoundTask[], now: number): Sight {
  const live = tasks.find((task) => task.desired === 'running')
  if (live?.state === 'running') {
    const isProven = before.observed === 'up' && before.provenTask === live.id
    return isProven ? { is: 'same' } : { is: 'back', task: live }
  }
  const containerState = live?.state ?? 'missing'
  // The swarm keeps failures of long ago too, which are not why it is down now.
  const task = tasks.find((it) => isFailure(it) && now - Date.parse(it.updatedAt) < downMs) ?? null
  const restarting = { is: 'restarting', containerState, task } as const
  if (before.downSince === null) return restarting
  const since = Date.parse(before.downSince)
  const failures = tasks.filter((task) => isFailure(task) && Date.parse(task.updatedAt) >= since)
  const isLost = failures.length >= maxFailures || now - since >= downMs
  if (isLost && before.observed !== 'down') {
    const seconds = Math.max(0, Math.round((now - since) / 1000))
    return lost(containerState, seconds, failures[0] ?? live ?? null)
  }
  return containerState === before.containerState ? { is: 'same' } : restarting
}

const isFailure = ({ state }: FoundTask) => ['failed', 'rejected', 'complete'].includes(state)

function lost(containerState: string, seconds: number, task: FoundTask | null): Sight {
  const cause = task === null ? null : taskReason(task)
  return { is: 'lost', containerState, status: { reason: 'StillDown', seconds, cause }, task }
}
