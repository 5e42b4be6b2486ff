/** Follows the events: gives those after a number, then each new one when its transaction is committed. */
import { setTimeout as pause } from 'node:timers/promises'
import { refuse } from '../errors.ts'
import type { Reader, Transact, Writer } from '../store/schema.ts'
import { type EventPage, eventsAfter, newestEvent, pageSize } from './queries.ts'
import type { EventTable } from './table.ts'

/** Each stream is a connection, and holds up to a page of events. */
export const limits = { streams: 500, streamsOfAccount: 100 }
const retryAfterSeconds = 10
/** A stream without events gives an empty batch this often, so that its client keeps a fresh position. */
const heartbeatMs = 15_000
/** Commits that follow each other closely cause one query. */
const gatherMs = 20

export interface EventBatch {
  events: EventTable[]
  /** The number of the last event that was read. */
  reached: number
  /** Events after the requested number were deleted, so the client has to read its records anew. */
  missed: boolean
}

/** Why a stream ended. `access`: its token does not permit it any more. */
export const endReasons = ['client', 'slowReader', 'access', 'shutdown', 'failure'] as const
export type EndReason = (typeof endReasons)[number]

export interface EventStream {
  /** The first batch comes at once and may be empty. Ends after `end`. */
  batches: AsyncGenerator<EventBatch, void, undefined>
  /** Ends the stream. Only the first call has an effect. */
  end(reason: EndReason): void
}

export interface EventFigures {
  open: number
  /** How many streams have ended since the start. */
  ended: Record<EndReason, number>
}

export interface EventStreams {
  /**
   * Opens a stream. When the promise resolves, the position is known: every later change is part of the stream. The
   * caller has to call `end`.
   * @param after the number of the last known event; null begins with the next event
   * @param accountId the account that the stream counts for
   * @throws Refusal TOO_MANY_REQUESTS if too many streams are open
   */
  open(after: number | null, accountId: string): Promise<EventStream>
  /** Returns a `transact` that wakes the streams after each transaction. */
  notifyingAfter(transact: Transact): Transact
  figures(): EventFigures
  /** Ends all streams, and every stream that is opened later. */
  release(): void
}

interface OpenStream {
  accountId: string
  hasEnded: boolean
  /** Whether there was a commit since the last query began. */
  isBehind: boolean
  /** Ends the wait for a commit. */
  wake(): void
  end(reason: EndReason): void
}

type ReadPage = (after: number) => Promise<EventPage>

export function eventStreamsOn(db: Reader, { streams: maxStreams, streamsOfAccount } = limits): EventStreams {
  const streams = new Set<OpenStream>()
  const ended = Object.fromEntries(endReasons.map((reason) => [reason, 0])) as Record<EndReason, number>
  const pages = sharedPages(db)
  let isReleased = false
  return { open, notifyingAfter, figures: () => ({ open: streams.size, ended: { ...ended } }), release }

  async function open(after: number | null, accountId: string): Promise<EventStream> {
    const ofAccount = [...streams].filter((stream) => stream.accountId === accountId).length
    if (streams.size >= maxStreams) refuseStream(`${maxStreams} streams of events are already open`)
    if (ofAccount >= streamsOfAccount) refuseStream(`${streamsOfAccount} streams of this account are already open`)
    const stream: OpenStream = { accountId, hasEnded: false, isBehind: false, wake: () => undefined, end }
    streams.add(stream)
    if (isReleased) end('shutdown')
    try {
      const start = after ?? (await newestEvent(db))
      return { batches: batches(pages, stream, start), end }
    } catch (error) {
      end('failure')
      throw error
    }

    function end(reason: EndReason) {
      if (stream.hasEnded) return
      stream.hasEnded = true
      ended[reason]++
      streams.delete(stream)
      stream.wake()
    }
  }

  function notifyingAfter(transact: Transact): Transact {
    return async <T>(work: (tx: Writer) => Promise<T>) => {
      const result = await transact(work)
      pages.forget()
      for (const stream of streams) {
        stream.isBehind = true
        stream.wake()
      }
      return result
    }
  }

  function release() {
    isReleased = true
    for (const stream of streams) stream.end('shutdown')
  }
}

function refuseStream(message: string): never {
  refuse('TOO_MANY_REQUESTS', `${message} (the maximum). Close one or retry`, { retryAfterSeconds })
}

/** Reads pages. Streams at the same position, usually all of them, share one query. */
function sharedPages(db: Reader): { read: ReadPage; forget(): void } {
  let last: { after: number; page: Promise<EventPage> } | null = null
  const forget = () => {
    last = null
  }
  return { read, forget }

  function read(after: number) {
    if (last?.after === after) return last.page
    const page = eventsAfter(db, after)
    last = { after, page }
    page.catch(() => {
      if (last?.page === page) forget()
    })
    return page
  }
}

async function* batches(
  pages: { read: ReadPage; forget(): void },
  stream: OpenStream,
  start: number,
): AsyncGenerator<EventBatch, void, undefined> {
  let reached = start
  for (let isFirst = true; !stream.hasEnded; isFirst = false) {
    stream.isBehind = false
    const { events, newest, isGap } = await pages.read(reached)
    if (isGap) reached = newest
    else reached = events.at(-1)?.seq ?? reached
    if (isGap) yield { events: [], reached, missed: true }
    else if (isFirst || events.length > 0) yield { events, reached, missed: false }
    if (isGap || events.length === pageSize) continue
    if (!(await isCommitInTime(stream))) {
      // Another process, such as a command on the machine, may have written.
      pages.forget()
      yield { events: [], reached, missed: false }
    }
    if (!stream.hasEnded) await pause(gatherMs)
  }
}

/** Waits for a commit or the end of the stream. Returns false if neither came within the time of a heartbeat. */
function isCommitInTime(stream: OpenStream): Promise<boolean> {
  if (stream.isBehind || stream.hasEnded) return Promise.resolve(true)
  return new Promise((resolve) => {
    const finish = (isInTime: boolean) => {
      clearTimeout(timer)
      stream.wake = () => undefined
      resolve(isInTime)
    }
    const timer = setTimeout(() => finish(false), heartbeatMs)
    stream.wake = () => finish(true)
  })
}
