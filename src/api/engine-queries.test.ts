/** Queries of the engine: their timeout, their limits, and the refusals for engine failures. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineFailure, EngineUnavailable, type FoundTask } from '../engine/engine.ts'
import type { EngineView } from '../engine/view.ts'
import { Refusal } from '../errors.ts'
import { engineQueriesOn } from './engine-queries.ts'

const failing = (error: Error): EngineView => {
  const fail = async () => {
    throw error
  }
  const queries = { tasks: fail, services: fail, nodes: fail, volumeUse: fail, joinParameters: fail }
  return {
    ...queries,
    foundSpec: fail,
    image: fail,
    ask: fail,
    logs: fail,
    stats: fail,
    ownVolumes: fail,
    volumeMark: fail,
    usedBytes: fail,
    freeBytes: fail,
  }
}
const neverAborted = () => new AbortController().signal
const task = {} as FoundTask
const range = { tail: 1, since: null, follow: false }

const table: [Error, string][] = [
  [new EngineUnavailable('unavailable'), 'SERVICE_UNAVAILABLE unavailable'],
  [new EngineFailure('missing', 'no such task'), 'PRECONDITION_FAILED no such task'],
  [new EngineFailure('conflict', 'stopped'), 'PRECONDITION_FAILED stopped'],
  [new EngineFailure('failed', 'broken'), 'BAD_GATEWAY broken'],
]

for (const [error, expected] of table) {
  test(`${error.name} "${error.message}" becomes ${expected}`, async () => {
    const { engine } = engineQueriesOn(failing(error))
    const isExpected = (error: unknown) => error instanceof Refusal && `${error.code} ${error.message}` === expected
    await assert.rejects(engine.tasks([]), isExpected)
    await assert.rejects(engine.stats(task), isExpected)
    await assert.rejects(engine.nodes(), isExpected)
    await assert.rejects(engine.joinParameters('worker'), isExpected)
    await assert.rejects(engine.usedBytes(task, '/'), isExpected)
    await assert.rejects(engine.logs('a', range, neverAborted()), isExpected)
    const later = engineQueriesOn({
      ...failing(error),
      logs: async () =>
        // biome-ignore lint/correctness/useYield: this log fails before its first line.
        (async function* () {
          throw error
        })(),
    })
    await assert.rejects(Array.fromAsync(await later.engine.logs('a', range, neverAborted())), isExpected)
  })
}

test('an error that is not a failure of the engine is not converted to a refusal', async () => {
  const defect = new TypeError('a defect')
  await assert.rejects(engineQueriesOn(failing(defect)).engine.tasks([]), defect)
})

test('a query that times out is refused and aborted', async () => {
  const engineQueries = engineQueriesOn(failing(new Error()), { timeoutMs: 20, maxStreams: 1 })
  let received: AbortSignal | undefined
  const waiting = engineQueries.withTimeout(neverAborted(), (signal) => {
    received = signal
    return new Promise<never>(() => undefined)
  })
  await assert.rejects(waiting, (error: unknown) => error instanceof Refusal && error.code === 'GATEWAY_TIMEOUT')
  assert.equal(received!.aborted, true)
})

test('the signal of work that ended in time aborts only when the caller disconnects', async () => {
  const engineQueries = engineQueriesOn(failing(new Error()), { timeoutMs: 20, maxStreams: 1 })
  const caller = new AbortController()
  const signal = await engineQueries.withTimeout(caller.signal, async (signal) => signal)
  await new Promise((resolve) => setTimeout(resolve, 40))
  assert.equal(signal.aborted, false)
  caller.abort()
  assert.equal(signal.aborted, true)
})

test('refuses a stream while too many are open; abortStreams also aborts later streams', () => {
  const engineQueries = engineQueriesOn(failing(new Error()), { timeoutMs: 20, maxStreams: 2 })
  const [first, second] = [new AbortController(), new AbortController()]
  const signals = [engineQueries.registerStream(first.signal), engineQueries.registerStream(second.signal)]
  assert.throws(
    () => engineQueries.registerStream(neverAborted()),
    (error: unknown) =>
      error instanceof Refusal && error.code === 'TOO_MANY_REQUESTS' && error.retryAfterSeconds === 10,
  )
  first.abort()
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true, false],
  )
  signals.push(engineQueries.registerStream(neverAborted()))
  engineQueries.abortStreams()
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true, true, true],
  )
  second.abort()
  assert.equal(engineQueries.registerStream(neverAborted()).aborted, true)
})

test('refuses to read a log while too many reads run; a read that ends or fails makes room', async () => {
  const ends = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
  const calls = ends.values()
  const engineQueries = engineQueriesOn(
    {
      ...failing(new EngineUnavailable('unavailable')),
      async logs(name, _range, signal) {
        if (name === 'broken') throw new EngineUnavailable('unavailable')
        const { promise, reject } = calls.next().value!
        signal.addEventListener('abort', () => reject(signal.reason))
        // biome-ignore lint/correctness/useYield: this log has no lines. It ends when its promise resolves.
        return (async function* () {
          await promise
        })()
      },
    },
    { maxLogReads: 2 },
  )
  const caller = new AbortController()
  const read = async (name = 'a') => Array.fromAsync(await engineQueries.engine.logs(name, range, caller.signal))
  const isFull = (error: unknown) =>
    error instanceof Refusal && error.code === 'TOO_MANY_REQUESTS' && error.retryAfterSeconds === 10
  const [first, second] = [read(), read()]
  await assert.rejects(read(), isFull)
  await assert.rejects(read('broken'), isFull, 'refused before the engine is called')
  ends[0]!.resolve()
  assert.deepEqual(await first, [])
  await assert.rejects(read('broken'), { message: 'unavailable' })
  const third = read()
  await assert.rejects(read(), isFull)
  caller.abort(new Error('left'))
  await Promise.allSettled([second, third])
  await assert.rejects(read('broken'), { message: 'unavailable' })
})
