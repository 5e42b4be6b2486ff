/**
 * The two ways in which a call to Docker fails: no answer, or an answer that refuses.
 * Knows Docker's words only where its HTTP status says the wrong thing.
 */
import { EngineFailure, type EngineFailureReason, EngineUnavailable } from '../../failures.ts'

/** A manager that cannot speak for the swarm at this moment: its peers are away, or it is only starting. */
const leaderless =
  /does not have a leader|no elected (cluster )?leader|code = (DeadlineExceeded|Unavailable)|deadline exceeded/i

/** The error that an answer with a status of 400 and above stands for. */
export function refusalOf(status: number, body: string): EngineFailure | EngineUnavailable {
  const said = messageOf(body) || `status ${status} without a word`
  const words = said.replace(/rpc error: code = \w+ desc = /g, '')
  if (status === 503 || leaderless.test(said)) return new EngineUnavailable(`The engine cannot do it now: ${words}`)
  return new EngineFailure(reasonOf(status), words)
}

function reasonOf(status: number): EngineFailureReason {
  if (status === 404) return 'missing'
  if (status === 409) return 'conflict'
  return status >= 500 ? 'failed' : 'rejected'
}

/** The error of a connection that failed or broke. */
export function unavailable(cause: unknown): EngineUnavailable {
  if (cause instanceof EngineUnavailable) return cause
  const words = cause instanceof Error ? cause.message : String(cause)
  return new EngineUnavailable(`The engine does not answer: ${words}`, { cause })
}

/** Another writer changed the service between our reading and our writing. */
export function isOutOfSequence(error: unknown): boolean {
  return error instanceof EngineFailure && /out of sequence/i.test(error.message)
}

/** Something that the request names is not there. */
export function isMissing(error: unknown): boolean {
  // Why a node could not be asked says nothing of what is on it.
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
