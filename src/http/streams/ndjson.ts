/**
 * Streamed answers: one JSON value per line (NDJSON). Each value is sent as it arrives, but no faster than the client
 * reads. Empty lines keep an idle connection alive. An error breaks the connection. If the stream ended regularly
 * instead, the client would consider the answer complete.
 */
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../api/services.ts'
import type { Answer } from '../../api/invoke.ts'
import { setIgnoredFields } from '../answers.ts'

export const streamType = 'application/x-ndjson'

/**
 * Maximum time that the headers wait for the first value. If the stream fails within this time, the call gets an error
 * answer. A later error breaks the connection.
 */
const firstValueMs = 500
/** Period of heartbeats. A client that reads nothing from one heartbeat to the next is disconnected. */
const heartbeatMs = 30_000
/** Maximum number of bytes that are buffered for the client, in addition to the socket's buffer. */
const maxBufferedBytes = 64 * 1024

/** A signal that aborts when the answer is sent or the client disconnects. */
export function disconnectSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  response.once('close', () => controller.abort())
  return controller.signal
}

/**
 * Sends a streamed answer.
 *
 * @param checkAccess is called with each heartbeat; if it rejects, the stream breaks the connection
 */
export async function sendStream(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  checkAccess: () => Promise<void>,
): Promise<void> {
  const values = answer.stream![Symbol.asyncIterator]()
  const first = values.next()
  await Promise.race([first, pause(firstValueMs, undefined, { ref: false })])
  const ndjson = ndjsonOf(values, first, checkAccess)
  ndjson.on('error', (error) => {
    if (!reply.raw.destroyed) app.log.error('a stream broke off', error, { op: request.op, requestId: request.id })
  })
  setIgnoredFields(reply, answer)
  // The connection is not reused: otherwise the shutdown of the server would wait for it.
  reply.header('connection', 'close').header('content-type', `${streamType}; charset=utf-8`)
  // Turns off buffering in nginx and proxies that know this header.
  reply.header('x-accel-buffering', 'no').send(ndjson)
}

/** The values as a stream of lines. Empty lines keep its connection alive. */
function ndjsonOf(
  values: AsyncIterator<unknown>,
  first: Promise<IteratorResult<unknown>>,
  checkAccess: () => Promise<void>,
): Readable {
  /** Ends the generator's wait for the next value; null while the generator does not wait. */
  let wake: (() => void) | null = null
  /** Whether the client was not reading at the last heartbeat and has read nothing since then. */
  let isStalled = false
  const ndjson = Readable.from(lines(), { objectMode: false, highWaterMark: maxBufferedBytes })
  const timer = setInterval(heartbeat, heartbeatMs)
  ndjson.once('close', () => {
    clearInterval(timer)
    wake?.()
  })
  return ndjson

  /** Repeats the access check. Sends an empty line if no value is ready. Breaks the connection of a stalled client. */
  function heartbeat() {
    checkAccess().catch(breakOff)
    if (wake !== null) wake()
    else if (isStalled) breakOff(new Error('The client reads nothing'))
    else isStalled = true
  }

  /** Breaks the connection. Also wakes the generator, because the stream closes only after the generator returns. */
  function breakOff(error: Error) {
    ndjson.destroy(error)
    wake?.()
  }

  /** The next value; null if `wake` was called first: an empty line is due or the stream was destroyed. */
  function nextOf(next: Promise<IteratorResult<unknown>>) {
    return new Promise<IteratorResult<unknown> | null>((resolve, reject) => {
      wake = () => resolve(null)
      next.then(resolve, reject)
    }).finally(() => {
      wake = null
    })
  }

  async function* lines(): AsyncGenerator<string> {
    let next = first
    try {
      // The empty line sends the headers before the first value.
      yield '\n'
      for (;;) {
        isStalled = false
        const result = await nextOf(next)
        if (ndjson.destroyed || result?.done === true) return
        yield result === null ? '\n' : `${JSON.stringify(result.value)}\n`
        if (result !== null) next = values.next()
      }
    } finally {
      values.return?.().catch(() => undefined)
    }
  }
}
