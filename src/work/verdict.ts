/** Reads a service's tasks: does it run, is it on its way, or has it failed and why. Pure; times come from outside. */
import type { FoundTask } from '../engine/engine.ts'
import type { TaskFailureReason } from '../engine/failures.ts'

export type Verdict =
  | { is: 'running'; task: FoundTask }
  | { is: 'coming'; task: FoundTask | null }
  | { is: 'failed'; reason: string; task: FoundTask | null }

/** A container that ended so often within one deploy is not going to run. */
const failuresAtMost = 3
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
export function judge(tasks: FoundTask[], digest: string, since: number, now: number): Verdict {
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

function failureOf(failures: FoundTask[], live: FoundTask | null, since: number, now: number): Verdict | null {
  const final = failures.find(({ failure }) => failure !== null && permanent.has(failure.reason))
  if (final !== undefined) return { is: 'failed', reason: explain(final), task: final }
  // The first is the cause: what comes after it may only stumble over what it left.
  const first = failures.at(-1)
  if (first !== undefined && failures.length >= failuresAtMost) {
    return { is: 'failed', reason: explain(first), task: first }
  }
  const isStuck =
    live !== null &&
    live.state === 'pending' &&
    live.failure !== null &&
    now - Math.max(since, Date.parse(live.createdAt)) >= pendingMs
  return isStuck ? { is: 'failed', reason: explain(live), task: live } : null
}

function lateness(live: FoundTask | null, since: number, now: number): Verdict | null {
  if (live?.state === 'preparing') {
    return now - since < preparingMs
      ? null
      : { is: 'failed', reason: `The image had not arrived after ${preparingMs / 60_000} minutes`, task: live }
  }
  const begun = live === null ? since : Math.max(since, Date.parse(live.createdAt))
  return now - begun < startingMs
    ? null
    : { is: 'failed', reason: `Not ready in time: it did not answer within ${startingMs / 1000} seconds`, task: live }
}

const meanings: Partial<Record<TaskFailureReason, string>> = {
  ImageMissing: 'Image not found',
  WrongArchitecture: 'The image is for another architecture than the node',
  PortTaken: 'The port is taken on the node',
  InsufficientResources: 'The node has not enough memory or CPU left for the reservation',
  NodeUnavailable: 'The node that holds the volume is not available',
}

/** A sentence with the meaning of the failure and the engine's words. */
export function explain({ failure, state, exitCode }: FoundTask): string {
  const meaning = failure === null ? undefined : meanings[failure.reason]
  if (meaning !== undefined) return `${meaning} (${failure!.detail})`
  if (state === 'complete') return 'The server ended by itself (exit code 0)'
  if (exitCode !== null && exitCode !== 0) return `The server ended with exit code ${exitCode}`
  if (failure === null) return `It has not come up (the engine says: ${state})`
  return `The engine could not run it (${failure.detail})`
}
