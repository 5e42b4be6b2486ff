/** Follows the events: gives those after a number, then each new one when its transaction is committed. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Broadcast, broadcast } from '../lib/async/broadcast.ts'
import { refuse } from '../errors.ts'
import type { Reader, Transact, Writer } from '../store/schema.ts'
import { type EventFilter, eventRange, eventsAfter } from './queries.ts'
import type { EventTable } from './table.ts'

/** Each stream is a connection, and a query after every commit. */
const maxStreams = 500
const retryAfterSeconds = 10
/** The maximum number of events that are in memory for one stream. */
const batchSize = 200
/** A stream without events gives an empty batch this often, so that its client keeps a fresh position. */
const heartbeatMs = 15_000
/** Commits that follow each other closely cause one query. */
const gatherMs = 20

/** `missed`: events after the requested number were deleted, so the client has to read its records anew. */
export interface EventBatch {
  events: EventTable[]
  /** The number of the last event that was considered, also if the filter left it out. */
  reached: number
  missed: boolean
}

export interface EventStreams {
  /**
   * Follows the events until `signal` aborts or `release` is called. When the promise resolves, the position is known:
   * every later change is part of the stream. The first batch comes at once and may be empty.
   * @param after the number of the last known event; null begins with the next event
   * @throws Refusal TOO_MANY_REQUESTS if too many streams are open
   */
  follow(
    after: number | null,
    filter: EventFilter,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<EventBatch, void, undefined>>
  /** Returns a `transact` that wakes the streams after each transaction. */
  notifyingAfter(transact: Transact): Transact
  /** Ends all streams, and every stream that is opened later. */
  release(): void
}

export function eventStreamsOn(db: Reader, limit = maxStreams): EventStreams {
  const commits = broadcast()
  const released = new AbortController()
  let openStreams = 0
  const end = () => {
    openStreams--
    // Wakes the stream that waits for a commit.
    commits.notify()
  }
  return {
    async follow(after, filter, caller) {
      if (openStreams >= limit) {
        const message = `${limit} streams of events are already open (the maximum). Close one or retry`
        refuse('TOO_MANY_REQUESTS', message, { retryAfterSeconds })
      }
      const signal = AbortSignal.any([caller, released.signal])
      if (!signal.aborted) openStreams++
      signal.addEventListener('abort', () => end(), { once: true })
      return batches(db, commits, await startOf(db, after), filter, signal)
    },
    notifyingAfter:
      (transact) =>
      async <T>(work: (tx: Writer) => Promise<T>) => {
        const result = await transact(work)
        commits.notify()
        return result
      },
    release: () => released.abort(),
  }
}

/**
 * The position that a stream begins at; -1 for a number from before a restore of the store, which names another event
 * or none.
 */
async function startOf(db: Reader, after: number | null): Promise<number> {
  const { newest } = await eventRange(db)
  return after === null ? newest : after > newest ? -1 : after
}

async function* batches(
  db: Reader,
  commits: Broadcast,
  start: number,
  filter: EventFilter,
  signal: AbortSignal,
): AsyncGenerator<EventBatch, void, undefined> {
  let reached = start
  if (reached >= 0) yield { events: [], reached, missed: false }
  while (!signal.aborted) {
    const nextCommit = commits.next()
    const { oldest, newest } = await eventRange(db)
    if (reached < oldest - 1) {
      reached = newest
      yield { events: [], reached, missed: true }
    }
    const events = await eventsAfter(db, reached, filter, batchSize)
    const last = events.length === batchSize ? events.at(-1)!.seq : newest
    if (last > reached) {
      reached = last
      yield { events: events.filter(({ seq }) => seq <= last), reached, missed: false }
    } else {
      if (!(await within(heartbeatMs, nextCommit))) yield { events: [], reached, missed: false }
      await pause(gatherMs)
    }
  }
}

/** Returns whether the promise resolved within the time. */
async function within(ms: number, promise: Promise<void>): Promise<boolean> {
  const timeout = new AbortController()
  const timedOut = pause(ms, false, { ref: false, signal: timeout.signal }).catch(() => false)
  const isInTime = await Promise.race([promise.then(() => true), timedOut])
  timeout.abort()
  return isInTime
}
