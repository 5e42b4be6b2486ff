/**
 * Refusals: the errors that a caller can cause and understand, and the one table from code to HTTP status.
 * Anything else that is thrown is a defect in Berth.
 */

/** Source: SPEC section 11; the codes are part of the contract. */
export const statusOf = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_SUPPORTED: 405,
  CONFLICT: 409,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  UNPROCESSABLE_CONTENT: 422,
  TOO_MANY_REQUESTS: 429,
  INTERNAL_SERVER_ERROR: 500,
  BAD_GATEWAY: 502,
  SERVICE_UNAVAILABLE: 503,
  GATEWAY_TIMEOUT: 504,
} as const

export type Code = keyof typeof statusOf

/** One fault of the input: what is wrong and what to do, and the field it is about ('' for the whole). */
export interface Issue {
  message: string
  path: string
}

interface Details {
  issues?: Issue[]
  /** Only ever reaches the log. */
  cause?: unknown
  /** Becomes the header Retry-After. */
  retryAfterSeconds?: number
}

export class Refusal extends Error {
  readonly code: Code
  readonly issues: Issue[]
  readonly retryAfterSeconds: number | undefined

  /** `message` is shown to the caller and says what to do next. */
  constructor(code: Code, message: string, details: Details = {}) {
    super(message, { cause: details.cause })
    this.name = 'Refusal'
    this.code = code
    this.issues = details.issues ?? []
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}

export function refuse(code: Code, message: string, details?: Details): never {
  throw new Refusal(code, message, details)
}

/** Refuses the input for the sake of one field. */
export function refuseField(path: string, message: string, code: Code = 'BAD_REQUEST'): never {
  throw new Refusal(code, `${path}: ${message}`, { issues: [{ message, path }] })
}

/** The body of every answer that is not 200. */
export function toBody(refusal: Refusal): { message: string; code: Code; issues: Issue[] } {
  return { message: refusal.message, code: refusal.code, issues: refusal.issues }
}
