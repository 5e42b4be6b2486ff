/** Derives from the tasks of a service whether the service runs, is starting or has failed, and why. Pure. */
import type { TaskReason } from '../../deployments/reason.ts'
import type { FoundTask } from '../../engine/engine.ts'
import type { TaskFailureReason } from '../../engine/failures.ts'

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
/** How long a server may take to become healthy, including its crash recovery. */
const startingMs = 180_000
/**
 * How far back failures count for a service without a deployment in progress, in milliseconds. Shorter than
 * `startingMs`: a service whose new task Swarm does not list yet would otherwise count as late at once.
 */
export const failureWindowMs = 170_000
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
 */
export function taskHealth(tasks: FoundTask[], digest: string, since: number, now: number): TaskHealth {
  const own = tasks.filter((task) => task.digest === digest)
  const live = own.find((task) => task.desired === 'running' && !isEnded(task)) ?? null
  const failures = own.filter((task) => isFailure(task) && Date.parse(task.updatedAt) >= since)
  if (live?.state === 'running') return { is: 'running', task: live }
  const failed = failureOf(failures, live, since, now)
  return failed ?? startTimeout(live, since, now) ?? { is: 'starting', task: live }
}

export const isEnded = ({ state }: FoundTask) =>
  ['complete', 'failed', 'rejected', 'shutdown', 'orphaned', 'remove'].includes(state)
const isFailure = ({ state }: FoundTask) => ['complete', 'failed', 'rejected'].includes(state)

const isPermanent = ({ failure }: FoundTask) => failure !== null && permanent.has(failure.reason)

function failureOf(all: FoundTask[], live: FoundTask | null, since: number, now: number): TaskHealth | null {
  const [newest] = all
  if (newest !== undefined && isPermanent(newest)) return { is: 'failed', reason: taskReason(newest), task: newest }
  // A newer failure of another kind proves that the obstacle has ended: somebody copied the image, for example.
  const lastObstacle = all.findIndex(isPermanent)
  const failures = lastObstacle < 0 ? all : all.slice(0, lastObstacle)
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

function startTimeout(live: FoundTask | null, since: number, now: number): TaskHealth | null {
  if (live?.state === 'preparing') {
    return now - since < preparingMs
      ? null
      : { is: 'failed', reason: { reason: 'ImageTimeout', minutes: preparingMs / 60_000 }, task: live }
  }
  const startedAt = live === null ? since : Math.max(since, Date.parse(live.createdAt))
  return now - startedAt < startingMs
    ? null
    : { is: 'failed', reason: { reason: 'StartTimeout', seconds: startingMs / 1000 }, task: live }
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
