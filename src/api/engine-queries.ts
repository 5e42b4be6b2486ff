/**
 * Queries of the engine, for operations: with a timeout and with limits on log streams and on concurrent reads of logs.
 * Failures of the engine become refusals. Does not depend on individual operations.
 */
import { EngineFailure, EngineUnavailable } from '../engine/engine.ts'
import { isTransient } from '../engine/failures.ts'
import type { EngineView } from '../engine/view.ts'
import { Refusal, refuse } from '../errors.ts'

export interface EngineQueries {
  engine: EngineView
  /**
   * Runs `work` with a timeout. Refuses with GATEWAY_TIMEOUT when the time is over.
   *
   * @param caller aborts when the caller disconnects
   * @param work its signal aborts when `caller` aborts and at the timeout
   */
  withTimeout<T>(caller: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>
  /**
   * Registers a stream as open until `caller` aborts. The returned signal aborts when `caller` aborts or `abortStreams`
   * is called. Refuses with TOO_MANY_REQUESTS if too many streams are open.
   */
  registerStream(caller: AbortSignal): AbortSignal
  /** Aborts all open streams, and every stream that is registered later. */
  abortStreams(): void
}

/** Timeout of a query. For a stream, the timeout applies only until the stream has begun. */
const timeoutMs = 15_000
/** Maximum number of open streams. Each uses two connections to the engine. */
const maxStreams = 100
/** Maximum number of concurrent reads of logs. Each may need memory for 16 million characters until it is answered. */
const maxLogReads = 16
const retryAfterSeconds = 10

const defaults = { timeoutMs, maxStreams, maxLogReads }

export function engineQueriesOn(view: EngineView, overrides: Partial<typeof defaults> = {}): EngineQueries {
  const limits = { ...defaults, ...overrides }
  const openStreams = new Set<AbortSignal>()
  const allStreams = new AbortController()
  return {
    engine: withRefusals({ ...view, logs: limitedLogs(view, limits.maxLogReads) }),
    withTimeout: (caller, work) => withTimeout(limits.timeoutMs, caller, work),
    registerStream(caller) {
      if (openStreams.size >= limits.maxStreams) {
        refuse(
          'TOO_MANY_REQUESTS',
          `${limits.maxStreams} log streams are already open (the maximum). Close one or retry`,
          { retryAfterSeconds },
        )
      }
      if (!caller.aborted) openStreams.add(caller)
      caller.addEventListener('abort', () => openStreams.delete(caller), { once: true })
      return AbortSignal.any([caller, allStreams.signal])
    },
    abortStreams: () => allStreams.abort(),
  }
}

/** `logs` with a limit on concurrent reads. Reads that follow the log do not count: `registerStream` limits them. */
function limitedLogs(view: EngineView, maxReads: number): EngineView['logs'] {
  let reads = 0
  return async (serviceName, range, signal) => {
    if (range.follow) return view.logs(serviceName, range, signal)
    if (reads >= maxReads) {
      refuse('TOO_MANY_REQUESTS', `${maxReads} calls are already reading logs (the maximum). Try again later`, {
        retryAfterSeconds,
      })
    }
    reads++
    const end = () => {
      reads--
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

/** Passes the lines on. Calls `end` when all lines are read, reading fails or the reader stops. */
async function* endingWith<T>(end: () => void, lines: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* lines
  } finally {
    end()
  }
}

async function withTimeout<T>(ms: number, caller: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const timedOut = new AbortController()
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(new Refusal('GATEWAY_TIMEOUT', `The engine did not answer within ${ms / 1000} seconds. Try again later`))
    timedOut.abort()
  }, ms)
  return Promise.race([work(AbortSignal.any([caller, timedOut.signal])), timeout]).finally(() => clearTimeout(timer))
}

/** The same queries, with refusals in place of engine failures. */
function withRefusals(view: EngineView): EngineView {
  return {
    services: () => view.services().catch(refuseFor),
    tasks: (names) => view.tasks(names).catch(refuseFor),
    foundSpec: (name) => view.foundSpec(name).catch(refuseFor),
    image: (reference) => view.image(reference).catch(refuseFor),
    ask: (task, program, programMs) => view.ask(task, program, programMs).catch(refuseFor),
    volumeUse: (name, nodeId) => view.volumeUse(name, nodeId).catch(refuseFor),
    ownVolumes: (nodeId) => view.ownVolumes(nodeId).catch(refuseFor),
    volumeMark: (name, nodeId, folder, image) => view.volumeMark(name, nodeId, folder, image).catch(refuseFor),
    logs: async (serviceName, range, signal) =>
      refusingFailures(await view.logs(serviceName, range, signal).catch(refuseFor)),
    stats: (task) => view.stats(task).catch(refuseFor),
    nodes: () => view.nodes().catch(refuseFor),
    joinParameters: (role) => view.joinParameters(role).catch(refuseFor),
    usedBytes: (task, path) => view.usedBytes(task, path).catch(refuseFor),
    freeBytes: (task, path) => view.freeBytes(task, path).catch(refuseFor),
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
 * Refuses with the code for an engine failure; throws other errors unchanged. A transient failure gets
 * PRECONDITION_FAILED: an object in the swarm is missing or has changed, or a node cannot be reached.
 */
function refuseFor(error: unknown): never {
  if (error instanceof EngineUnavailable) refuse('SERVICE_UNAVAILABLE', error.message)
  if (!(error instanceof EngineFailure)) throw error
  if (isTransient(error)) refuse('PRECONDITION_FAILED', error.message)
  refuse('BAD_GATEWAY', error.message, { cause: error })
}
