/**
 * Refusals: the errors that Berth answers on purpose, and the HTTP status of each code. src/http answers any other
 * error as an internal error, unless the process has too many open files.
 */

/** The codes are part of the API, see docs/api.md. */
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

/** One error in the input. `message` says what is wrong and what to do. `path` is the field; '' for the whole input. */
export interface Issue {
  message: string
  path: string
}

interface Details {
  issues?: Issue[]
  /** The error behind the refusal. It is written to the log and not answered. */
  cause?: unknown
  /** The value of the header Retry-After, in seconds. */
  retryAfterSeconds?: number
  /** The code of the stored reason that the message renders. */
  reason?: string | null
  /** The present tag of a record that was changed in the meantime. */
  entityTag?: string
}

export class Refusal extends Error {
  readonly code: Code
  readonly issues: Issue[]
  readonly retryAfterSeconds: number | undefined
  /** The code of the reason, for programs; null if the refusal comes from no stored reason. */
  readonly reason: string | null
  readonly entityTag: string | undefined

  /** @param message the text for the caller: what is wrong and what to do */
  constructor(code: Code, message: string, details: Details = {}) {
    super(message, { cause: details.cause })
    this.name = 'Refusal'
    this.code = code
    this.issues = details.issues ?? []
    this.retryAfterSeconds = details.retryAfterSeconds
    this.reason = details.reason ?? null
    this.entityTag = details.entityTag
  }
}

/** Throws a Refusal. */
export function refuse(code: Code, message: string, details?: Details): never {
  throw new Refusal(code, message, details)
}

/** Throws a Refusal because of one field of the input. @param path the name of the field */
export function refuseField(path: string, message: string, code: Code = 'BAD_REQUEST'): never {
  throw new Refusal(code, `${path}: ${message}`, { issues: [{ message, path }] })
}

/** Throws a Refusal with one issue for each error of the input. */
export function refuseInput(errors: readonly { path: PropertyKey[]; message: string }[]): never {
  const issues: Issue[] = errors.map(({ path, message }) => ({ path: path.join('.'), message }))
  const message = issues
    .map((issue) => (issue.path === '' ? issue.message : `${issue.path}: ${issue.message}`))
    .join('; ')
  refuse('BAD_REQUEST', message, { issues })
}

/** The body of every error answer. It has `reason` only if the refusal has one. */
export function toBody({ message, code, issues, reason }: Refusal) {
  return { message, code, issues, ...(reason === null ? {} : { reason }) }
}
