/**
 * Queries of the engine by operations, with a timeout and a limit on concurrent log readers. Failures of the engine
 * become refusals. Does not depend on individual operations.
 */
import { EngineFailure, EngineUnavailable } from '../engine/engine.ts'
import { isTransient } from '../engine/failures.ts'
import type { EngineView } from '../engine/view.ts'
import { Refusal, refuse } from '../errors.ts'

export interface EngineQueries {
  engine: EngineView
  /**
   * Runs `work` with a timeout. The signal of `work` aborts at the timeout or when `caller` aborts. Refuses with
   * GATEWAY_TIMEOUT.
   *
   * @param caller aborts when the caller disconnects
   */
  inTime<T>(caller: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>
  /**
   * Registers a stream until `caller` aborts. The returned signal aborts when `caller` aborts or `release` is called.
   * Refuses with TOO_MANY_REQUESTS if too many streams are open.
   */
  follow(caller: AbortSignal): AbortSignal
  /** Aborts all open streams, and every stream that is opened later. */
  release(): void
}

/** Timeout of a query. For a stream, the timeout applies only until the stream has begun. */
const inspectMs = 15_000
/** Maximum number of open streams. Each uses two connections to the engine. */
const maxFollowing = 100
/** Maximum number of concurrent reads of logs. Each may need memory for 16 million characters until it is answered. */
const maxReadingLogs = 16
const retryAfterSeconds = 10

const defaults = { inspectMs, maxFollowing, maxReadingLogs }

export function engineQueriesOn(view: EngineView, overrides: Partial<typeof defaults> = {}): EngineQueries {
  const limits = { ...defaults, ...overrides }
  const following = new Set<AbortSignal>()
  const released = new AbortController()
  return {
    engine: withRefusals({ ...view, logs: limitedLogs(view, limits.maxReadingLogs) }),
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

/** Limits concurrent reads of logs. `follow` limits the streams. */
function limitedLogs(view: EngineView, maxReading: number): EngineView['logs'] {
  let reading = 0
  return async (serviceName, range, signal) => {
    if (range.follow) return view.logs(serviceName, range, signal)
    if (reading >= maxReading) {
      refuse('TOO_MANY_REQUESTS', `${maxReading} calls are already reading logs (the maximum). Try again later`, {
        retryAfterSeconds,
      })
    }
    reading++
    const end = () => {
      reading--
    }
    return endingWith(
      end,
      await view.logs(serviceName, range, signal).catch((error: unknown) => {
        end()
        throw error
      }),
    )
  }
}

/** Passes the lines on. Calls `end` when all lines are read or the reader stops. */
async function* endingWith<T>(end: () => void, lines: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* lines
  } finally {
    end()
  }
}

async function inTime<T>(ms: number, caller: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const timedOut = new AbortController()
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(new Refusal('GATEWAY_TIMEOUT', `The engine did not answer within ${ms / 1000} seconds. Try again later`))
    timedOut.abort()
  }, ms)
  return Promise.race([work(AbortSignal.any([caller, timedOut.signal])), timeout]).finally(() => clearTimeout(timer))
}

function withRefusals(view: EngineView): EngineView {
  return {
    tasks: (names) => view.tasks(names).catch(refuseFor),
    logs: async (serviceName, range, signal) =>
      refusingFailures(await view.logs(serviceName, range, signal).catch(refuseFor)),
    stats: (task) => view.stats(task).catch(refuseFor),
    nodes: () => view.nodes().catch(refuseFor),
    joinParameters: (role) => view.joinParameters(role).catch(refuseFor),
    usedBytes: (task, path) => view.usedBytes(task, path).catch(refuseFor),
  }
}

async function* refusingFailures<T>(lines: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* lines
  } catch (error) {
    refuseFor(error)
  }
}

/**
 * Refuses with the code for an engine failure. A transient failure gets PRECONDITION_FAILED: the records that the
 * caller relied on have changed, or a node does not answer.
 */
function refuseFor(error: unknown): never {
  if (error instanceof EngineUnavailable) refuse('SERVICE_UNAVAILABLE', error.message)
  if (!(error instanceof EngineFailure)) throw error
  if (isTransient(error)) refuse('PRECONDITION_FAILED', error.message)
  refuse('BAD_GATEWAY', error.message, { cause: error })
}
