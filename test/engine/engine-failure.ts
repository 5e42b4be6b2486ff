/** Recognizes failures of the engine and of jobs in assertions. */
import { EngineFailure } from '../../src/engine/engine.ts'
import type { EngineFailureReason } from '../../src/engine/failures.ts'
import { JobStopped } from '../../src/engine/job.ts'

/** Returns a predicate for an EngineFailure with one of the reasons and a message that matches the pattern. */
export function engineFailure(reasons: EngineFailureReason | EngineFailureReason[], messagePattern = /./) {
  return (error: unknown) =>
    error instanceof EngineFailure && [reasons].flat().includes(error.reason) && messagePattern.test(error.message)
}

/** Returns a predicate for a JobStopped with a message, and a cause, that match the patterns. */
export function jobStopped(messagePattern: RegExp, causePattern = /^/) {
  return (error: unknown) =>
    error instanceof JobStopped && messagePattern.test(error.message) && causePattern.test(String(error.cause))
}
