/** How answers are written: JSON for what was asked, the one error shape for everything else. Knows no operation. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../api/services.ts'
import { Refusal, statusOf, toBody } from '../errors.ts'
import type { Answer } from '../api/invoke.ts'
import { listOf } from './headers.ts'

export function sendAnswer(reply: FastifyReply, answer: Answer, waitSeconds: number): void {
  headIgnored(reply, answer)
  if (answer.nextCursor !== null) reply.header('berth-next-cursor', encodeURIComponent(answer.nextCursor))
  if (answer.waited) reply.header('preference-applied', `wait=${waitSeconds}`)
  sendJson(reply, JSON.stringify(answer.body))
}

/** Names the fields that were sent and are not known. */
export function headIgnored(reply: FastifyReply, { ignoredFields }: Answer): void {
  if (ignoredFields.length > 0) reply.header('berth-ignored-fields', listOf(ignoredFields))
}

/** `text` is JSON. While the server closes, each answer is its connection's last. */
export function sendJson(reply: FastifyReply, text: string): void {
  if (reply.server.closing.begun) reply.header('connection', 'close')
  reply.header('content-type', 'application/json; charset=utf-8').send(text)
}

/** The only way to an answer that is not 200. What is no refusal is a defect: it goes to the log, never out. */
export function sendError(app: App, request: FastifyRequest, reply: FastifyReply, error: unknown): void {
  const refusal = error instanceof Refusal ? error : (exhausted(error) ?? defect(request))
  if (refusal !== error && refusal.cause === undefined) {
    app.log.error('defect', error, { op: request.op, requestId: request.id })
  }
  if (refusal.cause !== undefined) {
    app.log.error('refused', refusal.cause, { op: request.op, requestId: request.id, code: refusal.code })
  }
  const retryAfter = refusal.retryAfterSeconds ?? (statusOf[refusal.code] === 503 ? 5 : undefined)
  if (retryAfter !== undefined) reply.header('retry-after', String(Math.max(1, Math.ceil(retryAfter))))
  if (refusal.code === 'UNAUTHORIZED') reply.header('www-authenticate', 'Bearer')
  // Fastify would close after a body that it refused, before its sender has read why: `cutOff` gives him time.
  reply.removeHeader('connection')
  sendJson(reply.code(statusOf[refusal.code]), JSON.stringify(toBody(refusal)))
}

/** What the machine gives no more of for the moment. */
function exhausted(error: unknown): Refusal | null {
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException
  // Node's loader of modules gives no code.
  if (code !== 'EMFILE' && code !== 'ENFILE' && !/too many open files/i.test(message)) return null
  return new Refusal(
    'SERVICE_UNAVAILABLE',
    'Berth may open no more files and connections at this moment. Try again, ' +
      'or let its process have more of them (ulimit -n)',
    { cause: error },
  )
}

function defect(request: FastifyRequest) {
  return new Refusal(
    'INTERNAL_SERVER_ERROR',
    `This is a defect in Berth, not in your call. Its log has the cause under the request id ${request.id}`,
  )
}

/** Fastify's own errors, all about requests that it could not read; they are ours to word. */
export function fromFastify(error: unknown): unknown {
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new Refusal('PAYLOAD_TOO_LARGE', 'The body is over 1 MiB')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON')
  if (code === 'FST_ERR_BAD_URL') return new Refusal('BAD_REQUEST', 'The path is not valid percent-encoding')
  if (typeof statusCode !== 'number' || statusCode >= 500 || error instanceof Refusal) return error
  return new Refusal('BAD_REQUEST', 'The request broke off or is malformed')
}
