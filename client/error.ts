/** The one error of the client. */
import type { ErrorCode } from './operations.ts'

export interface Issue {
  /** The field; empty if the message is about the whole input. */
  path: string
  message: string
}

/** The members of a BerthError that a refusal of Berth fills. */
export interface Refusal {
  code: ErrorCode | 'CONNECTION_LOST' | 'NOT_BERTH'
  status?: number
  issues?: Issue[]
  reason?: string | null
  requestId?: string | null
  retryAfterSeconds?: number | null
}

/** Berth refused a call, or could not be reached. */
export class BerthError extends Error {
  /**
   * A stable name for what went wrong. Besides Berth's codes: CONNECTION_LOST if no whole answer arrived, NOT_BERTH if
   * something else than Berth answered.
   */
  readonly code: Refusal['code']
  /** The HTTP status; 0 if no answer arrived. */
  readonly status: number
  /** One entry for each wrong field. */
  readonly issues: readonly Issue[]
  /** The code of the reason that the work failed with; null if there is none. */
  readonly reason: string | null
  /** The id of the request in Berth's log; null if no answer arrived. */
  readonly requestId: string | null
  /** Seconds to wait before the next attempt; null if Berth names none. */
  readonly retryAfterSeconds: number | null

  constructor(message: string, refusal: Refusal, options?: ErrorOptions) {
    super(message, options)
    this.name = 'BerthError'
    this.code = refusal.code
    this.status = refusal.status ?? 0
    this.issues = refusal.issues ?? []
    this.reason = refusal.reason ?? null
    this.requestId = refusal.requestId ?? null
    this.retryAfterSeconds = refusal.retryAfterSeconds ?? null
  }
}
