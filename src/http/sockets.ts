/**
 * Functions on sockets: one answers malformed or late requests, the other closes the connections of requests that were
 * answered before they had arrived completely.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Refusal, statusOf, toBody } from '../errors.ts'

const messages: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The headers are larger than 16 KiB',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time',
}

/** Answers a malformed or late request and closes its socket. For Fastify's clientErrorHandler. */
export function answerSocket(error: { code?: string }, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const refusal = new Refusal('BAD_REQUEST', messages[error.code ?? ''] ?? 'This is not a well-formed HTTP request')
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

/** How much and how long to read from a client that sends its whole body before it reads the answer. */
const lingering = { maxBytes: 256 * 1024 * 1024, maxMs: 30_000, maxSilentMs: 5000, checkPeriodMs: 100 }

/**
 * Handles the connection of an answered request whose body has not arrived completely. Node reads the rest and discards
 * it. If a socket is closed while unread data arrives, the client's system drops the answer that the client has not read
 * yet. Therefore the socket is closed only after 256 MiB, after 30 s, or after 5 s without data.
 */
export function closeIncomplete(request: IncomingMessage): void {
  // `complete` is undefined if the request was injected without a socket.
  if (request.complete !== false) return
  const { socket } = request
  const lastByte = socket.bytesRead + lingering.maxBytes
  const lastMs = performance.now() + lingering.maxMs
  let received = { bytes: socket.bytesRead, atMs: performance.now() }
  const timer = setInterval(() => {
    const nowMs = performance.now()
    if (socket.bytesRead > received.bytes) received = { bytes: socket.bytesRead, atMs: nowMs }
    const isOver = received.bytes > lastByte || nowMs > Math.min(lastMs, received.atMs + lingering.maxSilentMs)
    if (isOver && !request.complete) socket.destroy()
    if (isOver || request.complete || socket.destroyed) clearInterval(timer)
  }, lingering.checkPeriodMs)
}
