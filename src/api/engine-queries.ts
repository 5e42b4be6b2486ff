/**
 * How operations look at the engine: in bounded time, so many at once as there is room for, and with the engine's
 * failures in words for the caller. Knows no operation.
 */
import { EngineFailure, EngineUnavailable } from '../engine/engine.ts'
import { isTransient } from '../engine/failures.ts'
import type { EngineView } from '../engine/view.ts'
import { Refusal, refuse } from '../errors.ts'

export interface EngineQueries {
  engine: EngineView
  /** Gives the work's answer, or refuses when the time is up: the signal is aborted then, or when the caller left. */
  inTime<T>(caller: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>
  /** A place among those who follow, until the caller left: then, or when all have to end, the signal is aborted. */
  follow(caller: AbortSignal): AbortSignal
  /** Ends all who follow, those to come too. */
  release(): void
}

/** Of one look. Of one that follows: until it has begun. */
const inspectMs = 15_000
/** Each holds two connections to the engine. */
const maxFollowing = 100
/** Each may keep 16 million characters in memory until its answer is sent. */
const maxReadingLogs = 16
const retryAfterSeconds = 10

const defaults = { inspectMs, maxFollowing, maxReadingLogs }

export function engineQueriesOn(view: EngineView, given: Partial<typeof defaults> = {}): EngineQueries {
  const limits = { ...defaults, ...given }
  const following = new Set<AbortSignal>()
  const released = new AbortController()
  return {
    engine: inWords({ ...view, logs: limitedLogs(view, limits.maxReadingLogs) }),
    inTime: (caller, work) => inTime(limits.inspectMs, caller, work),
    follow(caller) {
      if (following.size >= limits.maxFollowing) {
        refuse(
          'TOO_MANY_REQUESTS',
          `${limits.maxFollowing} log streams are already open (the maximum). Close one or retry`,
          { retryAfterSeconds },
        )
      }
      if (!caller.aborted) following.add(caller)
      caller.addEventListener('abort', () => following.delete(caller), { once: true })
      return AbortSignal.any([caller, released.signal])
    },
    release: () => released.abort(),
  }
}

/** Those that follow have a limit of their own: `follow`. */
function limitedLogs(view: EngineView, most: number): EngineView['logs'] {
  let reading = 0
  return async (serviceName, asked, signal) => {
    if (asked.follow) return view.logs(serviceName, asked, signal)
    if (reading >= most) {
      refuse('TOO_MANY_REQUESTS', `${most} calls are already reading logs (the maximum). Try again later`, {
        retryAfterSeconds,
      })
    }
    reading++
    const end = () => {
      reading--
    }
    return endingWith(
      end,
      await view.logs(serviceName, asked, signal).catch((error: unknown) => {
        end()
        throw error
      }),
    )
  }
}

/** Calls `end` once they are read, or nobody reads them any more. */
async function* endingWith<T>(end: () => void, lines: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* lines
  } finally {
    end()
  }
}

async function inTime<T>(ms: number, caller: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController()
  const { promise: over, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(new Refusal('GATEWAY_TIMEOUT', `The engine did not answer within ${ms / 1000} seconds. Try again later`))
    late.abort()
  }, ms)
  return Promise.race([work(AbortSignal.any([caller, late.signal])), over]).finally(() => clearTimeout(timer))
}

function inWords(view: EngineView): EngineView {
  return {
    tasks: (names) => view.tasks(names).catch(refuseFor),
    logs: async (serviceName, asked, signal) =>
      eachInWords(await view.logs(serviceName, asked, signal).catch(refuseFor)),
    stats: (task) => view.stats(task).catch(refuseFor),
    nodes: () => view.nodes().catch(refuseFor),
    joining: (role) => view.joining(role).catch(refuseFor),
    usedBytes: (task, path) => view.usedBytes(task, path).catch(refuseFor),
  }
}

async function* eachInWords<T>(lines: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* lines
  } catch (error) {
    refuseFor(error)
  }
}

/** What is gone or stopped was there a moment ago: the caller's question had a ground that is no more. */
function refuseFor(error: unknown): never {
  if (error instanceof EngineUnavailable) refuse('SERVICE_UNAVAILABLE', error.message)
  if (!(error instanceof EngineFailure)) throw error
  if (isTransient(error)) refuse('PRECONDITION_FAILED', error.message)
  refuse('BAD_GATEWAY', error.message, { cause: error })
}
