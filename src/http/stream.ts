/**
 * Answers without an end: one JSON value a line (NDJSON), sent as it comes and no faster than it is read; an empty line
 * where nothing comes for long, so that nobody between takes the connection for dead. What goes wrong on the way breaks
 * the connection, for an end would look whole. Knows no operation.
 */
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../api/services.ts'
import type { Answer } from '../api/invoke.ts'
import { headIgnored } from './answers.ts'

export const streamType = 'application/x-ndjson'

/** For an error that comes at once to be an ordinary answer. */
const firstMs = 500
/** Twice so long without taking anything, and a reader is gone. */
const beatMs = 30_000
/** Of text that waits for the reader, beside what the socket holds. */
const maxWaiting = 64 * 1024

/** Aborted when the answer is sent, or its reader has left. */
export function leftOf(response: ServerResponse): AbortSignal {
  const left = new AbortController()
  response.once('close', () => left.abort())
  return left.signal
}

/** `check` is asked again and again whether the caller may still see it; where it rejects the answer breaks off. */
export async function sendStream(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  check: () => Promise<void>,
): Promise<void> {
  const values = answer.stream![Symbol.asyncIterator]()
  const first = values.next()
  await Promise.race([first, pause(firstMs, undefined, { ref: false })])
  const text = textOf(values, first, check)
  text.on('error', (error) => {
    if (!reply.raw.destroyed) app.log.error('an answer broke off', error, { op: request.op, requestId: request.id })
  })
  headIgnored(reply, answer)
  // The connection is not used again: closing the server would wait for it.
  reply.header('connection', 'close').header('content-type', `${streamType}; charset=utf-8`)
  // Asks nginx, and those that took it up from there, to pass lines on as they come.
  reply.header('x-accel-buffering', 'no').send(text)
}

function textOf(
  values: AsyncIterator<unknown>,
  first: Promise<IteratorResult<unknown>>,
  check: () => Promise<void>,
): Readable {
  /** Set while it waits for the next value. */
  let wake: (() => void) | null = null
  let isStalled = false
  const text = Readable.from(lines(), { objectMode: false, highWaterMark: maxWaiting })
  const timer = setInterval(beat, beatMs)
  text.once('close', () => {
    clearInterval(timer)
    wake?.()
  })
  return text

  function beat() {
    check().catch(breakOff)
    if (wake !== null) wake()
    else if (isStalled) breakOff(new Error('The reader takes nothing'))
    else isStalled = true
  }

  /** The generator has to come out of its waiting, for the stream is not destroyed before it. */
  function breakOff(error: Error) {
    text.destroy(error)
    wake?.()
  }

  /** The next value; null where it is time for an empty line. */
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
      // So that the head of the answer does not wait for the first value.
      yield '\n'
      for (;;) {
        isStalled = false
        const it = await nextOf(next)
        if (text.destroyed || it?.done === true) return
        yield it === null ? '\n' : `${JSON.stringify(it.value)}\n`
        if (it !== null) next = values.next()
      }
    } finally {
      values.return?.().catch(() => undefined)
    }
  }
}
