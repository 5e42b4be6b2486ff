/**
 * Translates failed calls to EngineUnavailable (no answer, or the engine cannot serve requests now) and EngineFailure
 * (any other error status). Parses Docker's messages only where the HTTP status is misleading.
 */
import { EngineFailure, type EngineFailureReason, EngineUnavailable } from '../../failures.ts'

/** Messages of a manager that has no quorum or is still starting. */
const leaderless =
  /does not have a leader|no elected (cluster )?leader|code = (DeadlineExceeded|Unavailable)|deadline exceeded/i

/** The error for an answer with a status of 400 or above. */
export function errorForStatus(status: number, body: string): EngineFailure | EngineUnavailable {
  const raw = messageOf(body) || `HTTP status ${status} without a message`
  const message = raw.replace(/rpc error: code = \w+ desc = /g, '')
  if (status === 503 || leaderless.test(raw))
    return new EngineUnavailable(`The engine cannot serve requests now: ${message}`)
  return new EngineFailure(reasonOf(status), message)
}

function reasonOf(status: number): EngineFailureReason {
  if (status === 404) return 'missing'
  if (status === 409) return 'conflict'
  return status >= 500 ? 'failed' : 'rejected'
}

/** The error for a connection that failed or broke. */
export function unavailable(cause: unknown): EngineUnavailable {
  if (cause instanceof EngineUnavailable) return cause
  const detail = cause instanceof Error ? cause.message : String(cause)
  return new EngineUnavailable(`The engine does not answer: ${detail}`, { cause })
}

/** Whether another writer changed the object between Berth's read and Berth's write. */
export function isOutOfSequence(error: unknown): boolean {
  return error instanceof EngineFailure && /out of sequence/i.test(error.message)
}

/** Whether an object that the request names does not exist. */
export function isMissing(error: unknown): boolean {
  // While a node is unreachable, nothing is known about the objects on it, whatever the message is.
  if (!(error instanceof EngineFailure) || error.reason === 'nodeUnreachable') return false
  return error.reason === 'missing' || /not found/i.test(error.message)
}

function messageOf(body: string): string {
  try {
    return String((JSON.parse(body) as { message?: unknown }).message ?? '').trim()
  } catch {
    return body.trim().slice(0, 500)
  }
}
