/** Sends answers: JSON for a successful call, or the error body for a refusal or an internal error. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../api/services.ts'
import { Refusal, statusOf, toBody } from '../errors.ts'
import type { Answer } from '../api/invoke.ts'
import { entityTagText, listOf } from './headers.ts'

export function sendAnswer(reply: FastifyReply, answer: Answer, waitSeconds: number): void {
  setIgnoredFields(reply, answer)
  if (answer.nextCursor !== null) reply.header('berth-next-cursor', encodeURIComponent(answer.nextCursor))
  if (answer.entityTag !== null) reply.header('etag', entityTagText(answer.entityTag))
  if (answer.waited) reply.header('preference-applied', `wait=${waitSeconds}`)
  if (answer.isPending) reply.header('berth-pending', 'true')
  sendJson(reply, JSON.stringify(answer.body))
}

/** Sets the header that lists unknown fields of the request. */
export function setIgnoredFields(reply: FastifyReply, { ignoredFields }: Answer): void {
  if (ignoredFields.length > 0) reply.header('berth-ignored-fields', listOf(ignoredFields))
}

/** Sends JSON text. */
export function sendJson(reply: FastifyReply, text: string): void {
  closeWhileStopping(reply)
  reply.header('content-type', 'application/json; charset=utf-8').send(text)
}

/** While the server shuts down, each answer closes its connection. */
export function closeWhileStopping(reply: FastifyReply): void {
  if (reply.server.closing.begun) reply.header('connection', 'close')
}

/**
 * Sends an error answer. Logs an error that is not a Refusal, and answers it as an internal error or, if that is its
 * cause, as too many open files.
 */
export function sendError(app: App, request: FastifyRequest, reply: FastifyReply, error: unknown): void {
  const refusal = error instanceof Refusal ? error : (tooManyFiles(error) ?? internalError(request))
  if (refusal !== error && refusal.cause === undefined) {
    app.log.error('defect', error, { op: request.op, requestId: request.id })
  }
  if (refusal.cause !== undefined) {
    app.log.error('refused', refusal.cause, { op: request.op, requestId: request.id, code: refusal.code })
  }
  const retryAfter = refusal.retryAfterSeconds ?? (statusOf[refusal.code] === 503 ? 5 : undefined)
  if (retryAfter !== undefined) reply.header('retry-after', String(Math.max(1, Math.ceil(retryAfter))))
  if (refusal.entityTag !== undefined) reply.header('etag', entityTagText(refusal.entityTag))
  if (refusal.code === 'UNAUTHORIZED') reply.header('www-authenticate', 'Bearer')
  // With the header Connection, Fastify would close the connection before the client has read the answer.
  // `closeIncomplete` in sockets.ts closes it later.
  reply.removeHeader('connection')
  sendJson(reply.code(statusOf[refusal.code]), JSON.stringify(toBody(refusal)))
}

/** The refusal for an error that means that the process has too many open files; null for other errors. */
function tooManyFiles(error: unknown): Refusal | null {
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException
  // Errors of Node's module loader have no code.
  if (code !== 'EMFILE' && code !== 'ENFILE' && !/too many open files/i.test(message)) return null
  return new Refusal(
    'SERVICE_UNAVAILABLE',
    'Berth has too many open files and connections. Try again later, or raise the limit of its process (ulimit -n)',
    { cause: error },
  )
}

function internalError(request: FastifyRequest) {
  return new Refusal(
    'INTERNAL_SERVER_ERROR',
    `Internal error in Berth. Search its log for the request id ${request.id}`,
  )
}

/** Translates Fastify's errors about unreadable requests into refusals. Returns other errors unchanged. */
export function fromFastify(error: unknown): unknown {
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new Refusal('PAYLOAD_TOO_LARGE', 'The body is larger than 1 MiB')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON. Send it as application/json')
  if (code === 'FST_ERR_BAD_URL') return new Refusal('BAD_REQUEST', 'The path is not valid percent-encoding')
  if (typeof statusCode !== 'number' || statusCode >= 500 || error instanceof Refusal) return error
  return new Refusal('BAD_REQUEST', 'The request is incomplete or malformed')
}
