/**
 * Requests that are not even HTTP, or did not arrive in time: answered on the bare socket, then closed. And those that
 * were answered before they had arrived.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Refusal, statusOf, toBody } from '../errors.ts'

const sentences: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The headers are over 16 KiB',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time',
}

/** For Fastify's clientErrorHandler. */
export function answerSocket(error: { code?: string }, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const refusal = new Refusal('BAD_REQUEST', sentences[error.code ?? ''] ?? 'This is not a well-formed HTTP request')
  const body = JSON.stringify(toBody(refusal))
  const head = [
    `HTTP/1.1 ${statusOf[refusal.code]} Bad Request`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** For a client that sends its body to the end before it reads: so much is taken, and so long it may read. */
const lingering = { bytes: 1024 * 1024, ms: 2000, inspectMs: 100 }

/**
 * Of a request that has its answer: what is still to come is read for a while, then left, and then cut off. A cut with
 * something unread takes the answer away from a client that has not come to it.
 */
export function cutOff(request: IncomingMessage): void {
  // Undefined where there is no socket.
  if (request.complete !== false) return
  const { socket } = request
  const last = socket.bytesRead + lingering.bytes
  const until = performance.now() + lingering.ms
  const timer = setInterval(() => {
    const isOver = performance.now() > until
    if (isOver && !request.complete) socket.destroy()
    else if (socket.bytesRead > last) socket.pause()
    if (isOver || request.complete || socket.destroyed) clearInterval(timer)
  }, lingering.inspectMs)
}
