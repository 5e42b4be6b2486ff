/** Decides what follows a failed step: a rollback, a halt, or the end of the deployment in error. */
import type { DatabaseFailure, ImageReason } from '../../deployments/reason.ts'
import type { FoundTask } from '../../engine/engine.ts'
import type { Kind } from '../../kinds/kind.ts'
import type { Runtime } from '../../runtime.ts'
import type { VolumeTable } from '../../store/schema.ts'
import { openTarget, sameTarget, type Target } from '../targets.ts'
import { isRepair } from '../watch/repair.ts'
import type { Step } from './decide.ts'
import { addExitReport, withoutSecrets } from './failure-text.ts'
import { continueInPhase, failureOf, type Job, recordFailure } from './outcome.ts'

/** The data that one step needs. */
export interface StepContext {
  job: Job
  kind: Kind
  target: Target | null
  volume: VolumeTable | null
}

/**
 * Enters the phase `rollback` with the last good target, or the phase `halt` if there is none. Ends the deployment in
 * error if it has already left the phase `apply`, if the database's goal is not `up`, or if the server that failed is the
 * last good one.
 */
export async function fail(runtime: Runtime, context: StepContext, reason: DatabaseFailure): Promise<void> {
  const { job, target } = context
  const masked = withoutSecrets(runtime.vault, reason, job.row, context.volume)
  const { phase } = job.deployment
  if (phase !== 'apply') return failWithoutRollback(runtime, job, masked)
  if (job.row.goal !== 'up') return recordFailure(runtime, job, masked)
  const lastGood = openTarget(runtime.vault, 'lastGood', job.row)
  if (lastGood === null) return continueInPhase(runtime, job, 'halt', masked, null)
  // A server in its maintenance mode has the last good target, too, and must not stay in this mode.
  const isUnchanged = target !== null && sameTarget(lastGood, target) && job.deployment.action !== 'regainAccount'
  if (isUnchanged) return recordFailure(runtime, job, masked)
  return continueInPhase(runtime, job, 'rollback', masked, lastGood)
}

/** Ends the deployment in error without a rollback. */
export async function failWithoutRollback(runtime: Runtime, job: Job, reason: DatabaseFailure): Promise<void> {
  const isApplying = job.deployment.phase === 'apply'
  return recordFailure(
    runtime,
    job,
    isApplying ? reason : { reason: 'RollbackFailed', cause: failureOf(job), failure: reason },
  )
}

/** Calls `fail` because of a failed task. The reason includes the exit report of the task's container. */
export async function failTask(
  runtime: Runtime,
  context: StepContext,
  { of, cause, task }: Extract<Step, { do: 'failTask' }>,
): Promise<void> {
  const reason = await addExitReport(runtime, cause, task, context.target, of === 'server' ? context.kind : null)
  return fail(runtime, context, of === 'server' ? reason : { reason: 'ExternalPortFailed', cause: reason })
}

/**
 * Handles an image that cannot be used. If the server runs, the deployment fails as in `fail`. If it does not run, the
 * deployment enters the phase `halt`, and the next start uses the last good target, if there is one. A repair fails
 * without this halt, so that the watch loop tries again.
 */
export async function refuseImage(
  runtime: Runtime,
  context: StepContext,
  tasks: FoundTask[],
  reason: ImageReason,
): Promise<void> {
  const { row, deployment } = context.job
  const isRunning = tasks.some(({ serviceName, desired }) => serviceName === row.appName && desired === 'running')
  if (isRunning || deployment.phase !== 'apply' || isRepair(deployment.action)) return fail(runtime, context, reason)
  const masked = withoutSecrets(runtime.vault, reason, row, context.volume)
  return continueInPhase(runtime, context.job, 'halt', masked, openTarget(runtime.vault, 'lastGood', row))
}
