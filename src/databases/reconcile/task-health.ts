/** Reads a service's tasks: does it run, is it on its way, or has it failed and why. Pure; times come from outside. */
import type { TaskReason } from '../../deployments/reason.ts'
import type { FoundTask } from '../../engine/engine.ts'
import type { TaskFailureReason } from '../../engine/failures.ts'

export type TaskHealth =
  | { is: 'running'; task: FoundTask }
  | { is: 'coming'; task: FoundTask | null }
  | { is: 'failed'; reason: TaskReason; task: FoundTask | null }

/** A container that ended so often within one deploy is not going to run. */
const maxFailures = 3
/** The engine may need so long to free what an old task still holds. */
const pendingMs = 10_000
/** For the image to arrive. */
const preparingMs = 15 * 60_000
/** From there until the server answers; a long recovery is allowed for. */
const startingMs = 180_000
/** Trying again would not help. */
const permanent = new Set<TaskFailureReason>(['ImageMissing', 'ImageInvalid', 'PortTaken', 'ProgramMissing'])

/**
 * `tasks` newest first, of one service. `digest` is the container's; `since` when this attempt began, in milliseconds.
 */
export function taskHealth(tasks: FoundTask[], digest: string, since: number, now: number): TaskHealth {
  const own = tasks.filter((task) => task.digest === digest)
  const live = own.find((task) => task.desired === 'running' && !isEnded(task)) ?? null
  const failures = own.filter((task) => isFailure(task) && Date.parse(task.updatedAt) >= since)
  if (live?.state === 'running') return { is: 'running', task: live }
  const failed = failureOf(failures, live, since, now)
  return failed ?? lateness(live, since, now) ?? { is: 'coming', task: live }
}

export const isEnded = ({ state }: FoundTask) =>
  ['complete', 'failed', 'rejected', 'shutdown', 'orphaned', 'remove'].includes(state)
const isFailure = ({ state }: FoundTask) => ['complete', 'failed', 'rejected'].includes(state)

function failureOf(failures: FoundTask[], live: FoundTask | null, since: number, now: number): TaskHealth | null {
  const final = failures.find(({ failure }) => failure !== null && permanent.has(failure.reason))
  if (final !== undefined) return { is: 'failed', reason: taskReason(final), task: final }
  // The first is the cause: what comes after it may only stumble over what it left.
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

function lateness(live: FoundTask | null, since: number, now: number): TaskHealth | null {
  if (live?.state === 'preparing') {
    return now - since < preparingMs
      ? null
      : { is: 'failed', reason: { reason: 'ImageTimeout', minutes: preparingMs / 60_000 }, task: live }
  }
  const begun = live === null ? since : Math.max(since, Date.parse(live.createdAt))
  return now - begun < startingMs
    ? null
    : { is: 'failed', reason: { reason: 'StartTimeout', seconds: startingMs / 1000 }, task: live }
}

/** Why a task does not run, without a report of its container's end. */
export function taskReason({ failure, state, exitCode }: FoundTask): TaskReason {
  if (failure !== null && failure.reason !== 'Other') {
    return { reason: 'TaskFailed', failure: failure.reason, detail: failure.detail }
  }
  if (state === 'complete') return { reason: 'TaskExited', exitCode: 0 }
  if (exitCode !== null && exitCode !== 0) return { reason: 'TaskExited', exitCode }
  if (failure === null) return { reason: 'TaskNotStarted', state }
  return { reason: 'TaskFailed', failure: failure.reason, detail: failure.detail }
}
