/** What follows the end of a step or of a turn of the loop `services`, and which failures of the engine are repeated. */
import { EngineUnavailable } from '../../../engine/engine.ts'
import { isEngineError } from '../../../engine/failures.ts'
import type { Runtime } from '../../../runtime.ts'
import { recordFailure, recordRemovalDelay, type Job } from '../outcome.ts'
import type { ShouldRetry } from '../step.ts'
import { engineOutages } from './engine-outage.ts'

/** How long consecutive internal errors of the engine are retried before they end the deployment. */
const maxEngineFailureMs = 60_000

/** Handles the ends of steps. */
export function stepEnds(runtime: Runtime) {
  const outages = engineOutages(runtime)
  let engineFault: unknown = null
  return {
    /**
     * Throws the EngineUnavailable of the last ended step, if it had one, so that the loop backs off. If a step of
     * another database ended well since, the engine answers, and no other database has to wait.
     */
    throwLast() {
      const fault = engineFault
      engineFault = null
      if (fault !== null) throw fault
    },
    /** Forgets what it knows of the deployments that are not among `jobs`. */
    keepOnly: outages.keepOnly,
    /**
     * Called when a turn failed before it began the steps of these jobs. The engine can also refuse its queries, while its
     * swarm is locked, for example: the deployments wait then, too.
     */
    async handleFailedTurn(jobs: Job[], error: unknown) {
      if (isEngineError(error)) for (const job of jobs) await outages.recordFailure(job, error as Error)
    },
    async handleSuccess(job: Job) {
      engineFault = null
      await outages.recordAnswer(job)
    },
    /**
     * Records the error of a step. If the engine is unavailable, the deployment waits. Any other error ends the
     * deployment, because a defect would repeat forever; only a removal continues.
     */
    async handleError(job: Job, error: unknown) {
      if (error instanceof EngineUnavailable) {
        engineFault = error
        return outages.recordFailure(job, error)
      }
      runtime.log.error('a step failed', error, { databaseId: job.row.id })
      const end = job.row.goal === 'gone' ? recordRemovalDelay : recordFailure
      await end(runtime, job, { reason: 'InternalError', deploymentId: job.deployment.id }).catch((again: unknown) =>
        runtime.log.error('could not record the failure of a step', again, { databaseId: job.row.id }),
      )
    },
  }
}

/**
 * Tolerates internal errors of the engine for at most `maxEngineFailureMs` per database. The period starts at the first
 * failure and ends with the first step without one.
 */
export function failureTolerance({ now }: Runtime) {
  const since = new Map<string, number>()
  return async (id: string, step: (shouldRetry: ShouldRetry) => Promise<void>) => {
    let isFailing = false
    const shouldRetry: ShouldRetry = ({ reason }) => {
      if (reason !== 'failed') return false
      isFailing = true
      const nowMs = now().getTime()
      // If the clock is set back, the period must not become longer.
      const firstMs = Math.min(since.get(id) ?? nowMs, nowMs)
      since.set(id, firstMs)
      return nowMs - firstMs < maxEngineFailureMs
    }
    await step(shouldRetry)
    if (!isFailing) since.delete(id)
  }
}
