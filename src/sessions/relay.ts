/** Runs the program of a session in its container, and passes bytes between the program and the client. */
import type { Readable } from 'node:stream'
import { InputClosed, type RunningJob } from '../engine/job.ts'
import type { Engine } from '../engine/engine.ts'
import { latestOnly } from '../lib/async/latest-only.ts'
import type { PieceMasker } from '../lib/crypto/mask.ts'
import type { Channel } from './channel.ts'
import { type Failure, SessionFailure } from './failure.ts'
import type { SessionPlan } from './plan.ts'

/**
 * How long characters of standard error are kept that could be the begin of a password, in milliseconds. The end of a
 * prompt can be such characters, and no more follows a prompt. The parts of one write arrive within less time.
 */
const maxKeptMs = 500

export interface Idle {
  /** Maximum time without a byte in either direction, in milliseconds. */
  ms: number
  /** How often the time is checked, in milliseconds. */
  checkMs: number
  /** Milliseconds of a clock that never goes back. */
  clock(): number
}

export interface SessionEnd {
  /** Null if the session ended without one. */
  exitCode: number | null
  failure: Failure | null
  /** Bytes that the client sent. */
  receivedBytes: number
  /** Bytes that the client got. */
  sentBytes: number
  seconds: number
}

export interface RelayOptions {
  idle: Idle
  /** Ends the session; its reason is a SessionFailure. */
  stopped: AbortSignal
  /** Records the end, before the client is told. Must not reject. */
  record(end: SessionEnd): Promise<void>
}

/**
 * Runs a session to its end. Never rejects: a failure is part of the recorded end, and the last message to the client.
 * The container is removed when this resolves, unless the engine does not answer.
 */
export async function relay(
  engine: Engine,
  plan: SessionPlan,
  channel: Channel,
  { idle, stopped, record }: RelayOptions,
): Promise<void> {
  const startedAt = idle.clock()
  const traffic = { receivedBytes: 0, sentBytes: 0, lastAt: startedAt }
  const idleEnd = new AbortController()
  const timer = setInterval(() => {
    if (idle.clock() - traffic.lastAt < idle.ms) return
    idleEnd.abort(new SessionFailure({ code: 'Idle', seconds: idle.ms / 1000 }))
  }, idle.checkMs)
  const signal = AbortSignal.any([channel.ended, stopped, idleEnd.signal])
  const sender = { ...channel, ...untilEnd(channel, signal) }
  const count: CountBytes = (name, bytes) => {
    traffic[name] += bytes
    traffic.lastAt = idle.clock()
  }
  const result = await run(engine, plan, sender, signal, count).then(
    (exitCode) => ({ exitCode, failure: null }),
    (error: unknown) => ({ exitCode: null, failure: failureOf(signal.aborted ? signal.reason : error) }),
  )
  const { receivedBytes, sentBytes } = traffic
  const seconds = Math.round((idle.clock() - startedAt) / 1000)
  await record({ ...result, receivedBytes, sentBytes, seconds })
  await report(sender, channel, result).catch(() => undefined)
  clearInterval(timer)
}

/** Tells the client how the session ended. Waits for a slow client only after a success. */
async function report(
  sender: Pick<Channel, 'post'>,
  channel: Pick<Channel, 'post'>,
  { exitCode, failure }: Pick<SessionEnd, 'exitCode' | 'failure'>,
): Promise<void> {
  if (exitCode !== null) return sender.post({ type: 'ended', exitCode })
  // The client may be the reason of the failure, or take nothing. The connection is closed soon.
  const { message } = new SessionFailure(failure!)
  channel.post({ type: 'failed', code: failure!.code, message }).catch(() => undefined)
}

/** Sends like the channel, but does not wait for a slow client when the session has ended. */
function untilEnd(channel: Channel, signal: AbortSignal): Pick<Channel, 'send' | 'post'> {
  const ended = Promise.withResolvers<never>()
  ended.promise.catch(() => undefined)
  if (signal.aborted) ended.reject(signal.reason)
  else signal.addEventListener('abort', () => ended.reject(signal.reason), { once: true })
  return {
    send: (bytes) => Promise.race([channel.send(bytes), ended.promise]),
    post: (message) => Promise.race([channel.post(message), ended.promise]),
  }
}

type CountBytes = (name: 'receivedBytes' | 'sentBytes', bytes: number) => void

/** @returns the exit code */
async function run(
  engine: Engine,
  { job, masker, check }: SessionPlan,
  channel: Channel,
  signal: AbortSignal,
  count: CountBytes,
): Promise<number> {
  const running = await engine.runJob(job, signal)
  try {
    await channel.post({ type: 'started' })
    channel.receive(receiverOf(running, count))
    const errors = running.stderr === null ? null : passErrors(running.stderr, channel, masker, count)
    errors?.catch(() => running.stdout.destroy())
    for await (const piece of running.stdout as AsyncIterable<Buffer>) {
      check?.write(piece)
      count('sentBytes', piece.length)
      await channel.send(piece)
    }
    await errors
    const { exitCode, outOfMemory } = await running.ended
    if (outOfMemory) throw new SessionFailure({ code: 'OutOfMemory' })
    if (exitCode === 0) await check?.end()
    return exitCode
  } finally {
    // A container that cannot be removed now is removed later (cluster/leftover-jobs.ts).
    await running.stop().catch(() => undefined)
  }
}

function receiverOf({ stdin, resize }: RunningJob, count: CountBytes) {
  // Two requests at the same time could reach the engine in the other order. A size that the engine refuses is not worth
  // the end of a session.
  const setSize = latestOnly(resize)
  return {
    async bytes(bytes: Buffer) {
      count('receivedBytes', bytes.length)
      if (stdin === null || !stdin.writable) return
      // A program may end before it has read everything. Its end is the end of the session.
      await new Promise<void>((resolve) => void stdin.write(bytes, () => resolve()))
    },
    message(message: { type: 'endInput' } | { type: 'resize'; columns: number; rows: number }) {
      if (message.type === 'endInput') stdin?.end()
      else void setSize({ columns: message.columns, rows: message.rows })
    },
  }
}

/**
 * Passes standard error on in whole characters. The last characters of a piece wait for the next piece, if they could be
 * the begin of a password.
 */
async function passErrors(
  stderr: Readable,
  channel: Pick<Channel, 'post'>,
  masker: PieceMasker,
  count: CountBytes,
): Promise<void> {
  const decoder = new TextDecoder()
  const post = async (text: string) => {
    if (text !== '') await channel.post({ type: 'stderr', text })
  }
  let timer: NodeJS.Timeout | undefined
  try {
    for await (const piece of stderr as AsyncIterable<Buffer>) {
      clearTimeout(timer)
      count('sentBytes', piece.length)
      await post(masker.next(decoder.decode(piece, { stream: true })))
      // If the session has ended meanwhile, nobody waits for the rest.
      timer = setTimeout(() => void post(masker.rest()).catch(() => undefined), maxKeptMs)
    }
    await post(masker.next(decoder.decode()) + masker.rest())
  } finally {
    clearTimeout(timer)
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof SessionFailure) return error.failure
  if (error instanceof InputClosed) return { code: 'ClientGone' }
  return { code: 'EngineFailed', detail: (error as Error).message }
}
