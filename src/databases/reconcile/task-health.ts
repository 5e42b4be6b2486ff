/** Derives from the tasks of a service whether the service runs, is starting or has failed, and why. Pure. */
import type { TaskReason } from '../../deployments/reason.ts'
import type { FoundTask } from '../../engine/engine.ts'
import type { TaskFailureReason } from '../../engine/failures.ts'
import type { DatabaseTable } from '../../store/schema.ts'

export type TaskHealth =
  | { is: 'running'; task: FoundTask }
  | { is: 'starting'; task: FoundTask | null }
  | { is: 'failed'; reason: TaskReason; task: FoundTask | null }

/** The number of failed tasks within one attempt after which the service has failed. */
const maxFailures = 3
/** How long a task may be pending with a failure: the engine may still be freeing the resources of an old task. */
const pendingMs = 10_000
/** How long pulling the image may take, from the start of the attempt. */
const preparingMs = 15 * 60_000
/** How long a task may take until its container starts, except while its image is pulled. */
const schedulingMs = 180_000
/** How long a service that Berth runs for itself, such as a gateway, may take to become healthy. */
export const ownServiceStartMs = 180_000
/**
 * How far back failures count for a service without a deployment in progress, in milliseconds. Shorter than
 * `schedulingMs`: a service whose new task Swarm does not list yet would otherwise count as late at once.
 */
export const failureWindowMs = 170_000
/** The longest start that the owner of a database allows, in milliseconds; null: no limit. */
export const maxStartMs = ({ startTimeout }: Pick<DatabaseTable, 'startTimeout'>): number | null =>
  startTimeout === null ? null : startTimeout * 60_000

/** Failures that a retry would not resolve. */
const permanent = new Set<TaskFailureReason>(['ImageMissing', 'ImageInvalid', 'PortTaken', 'ProgramMissing'])

/**
 * The health of one service.
 *
 * @param tasks all tasks of the service, newest first
 * @param digest the result of `containerDigestOf` (engine/spec.ts) for the wanted specification; tasks with another
 *   digest are ignored
 * @param since the start of this attempt to run the service, in milliseconds since the epoch; earlier failures are
 * ignored
 * @param now the present time, in milliseconds since the epoch
 * @param maxStartMs how long a container may take to become healthy; null: as long as it lives
 */
export function taskHealth(
  tasks: FoundTask[],
  digest: string,
  since: number,
  now: number,
  maxStartMs: number | null,
): TaskHealth {
  const own = tasks.filter((task) => task.digest === digest)
  const live = own.find((task) => task.desired === 'running' && !isEnded(task)) ?? null
  const failures = own.filter((task) => isFailure(task) && Date.parse(task.updatedAt) >= since)
  if (live?.state === 'running') return { is: 'running', task: live }
  const failed = failureOf(failures, live, since, now)
  return failed ?? startTimeout(live, since, now, maxStartMs) ?? { is: 'starting', task: live }
}

export const isEnded = ({ state }: FoundTask) =>
  ['complete', 'failed', 'rejected', 'shutdown', 'orphaned', 'remove'].includes(state)
const isFailure = ({ state }: FoundTask) => ['complete', 'failed', 'rejected'].includes(state)

function failureOf(failures: FoundTask[], live: FoundTask | null, since: number, now: number): TaskHealth | null {
  const final = failures.find(({ failure }) => failure !== null && permanent.has(failure.reason))
  if (final !== undefined) return { is: 'failed', reason: taskReason(final), task: final }
  // The first failure is the cause. Later ones may only be consequences of it.
  const first = failures.at(-1)
  if (first !== undefined && failures.length >= maxFailures) {
    return { is: 'failed', reason: taskReason(first), task: first }
  }
  const isStuck =
    live !== null &&
    live.state === 'pending' &&
    live.failure !== null &&
    now - Math.max(since, Date.parse(live.createdAt)) >= pendingMs
  return isStuck ? { is: 'failed', reason: taskReason(live), task: live } : null
}

function startTimeout(
  live: FoundTask | null,
  since: number,
  now: number,
  maxStartMs: number | null,
): TaskHealth | null {
  if (live?.state === 'preparing') {
    return now - since < preparingMs
      ? null
      : { is: 'failed', reason: { reason: 'ImageTimeout', minutes: preparingMs / 60_000 }, task: live }
  }
  if (live?.state === 'starting') {
    // The state changed when the container started. Before that, the node may have pulled the image for minutes.
    const startedAt = Math.max(since, Date.parse(live.updatedAt))
    return maxStartMs === null || now - startedAt < maxStartMs
      ? null
      : { is: 'failed', reason: { reason: 'StartTimeout', minutes: maxStartMs / 60_000 }, task: live }
  }
  const createdAt = live === null ? since : Math.max(since, Date.parse(live.createdAt))
  return now - createdAt < schedulingMs
    ? null
    : { is: 'failed', reason: { reason: 'TaskNotStarted', state: live?.state ?? 'new' }, task: live }
}

/** Why a task does not run, without the exit report of its container. */
export function taskReason({ failure, state, exitCode }: FoundTask): TaskReason {
  if (failure !== null && failure.reason !== 'Other') {
    return { reason: 'TaskFailed', failure: failure.reason, detail: failure.detail }
  }
  if (state === 'complete') return { reason: 'TaskExited', exitCode: 0 }
  if (exitCode !== null && exitCode !== 0) return { reason: 'TaskExited', exitCode }
  if (failure === null) return { reason: 'TaskNotStarted', state }
  return { reason: 'TaskFailed', failure: failure.reason, detail: failure.detail }
}
