/**
 * Reads of the API that stay up to date: a read is repeated when an event says that its records have changed. Components
 * that need the same read share it.
 */
import { effect, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { Change, Client, EventKind, OperationName, Reset } from '../../../client/client.ts'
import { api } from '../api.ts'
import { isLive, onEvent } from './events.ts'
import { kindsOf } from './kinds-of.ts'

export interface Query<T> {
  /** The last answer; undefined until the first one has arrived. */
  data: ReadonlySignal<T | undefined>
  /** Why the last read failed; null if it did not. */
  error: ReadonlySignal<unknown>
  /** The tag of the record for If-Match; null if the read has none. */
  etag: ReadonlySignal<string | null>
  /** The cursor of the next page; null if the answer is the last one. */
  next: ReadonlySignal<string | null>
  reload(): Promise<void>
}

export interface QueryOptions {
  /** The kinds of records whose changes repeat the read. By default those that the operation reads. */
  kinds?: readonly EventKind[]
  /** Only changes of this record. */
  recordId?: string | undefined
  /** Repeats the read at this interval in milliseconds, for what has no events. */
  everyMs?: number
}

/** Repeated reads are at least this many milliseconds apart. */
const minIntervalMs = 500
/** How long the answer of a screen that was left is kept, in milliseconds. */
const keptMs = 30_000

interface Entry extends Query<unknown> {
  data: Signal<unknown>
  error: Signal<unknown>
  etag: Signal<string | null>
  next: Signal<string | null>
  users: number
  stop(): void
}

const entries = new Map<string, Entry>()

type Answer<Name extends OperationName> = Awaited<ReturnType<typeof api.call<Name>>>

/**
 * @param input null: not read yet
 */
export function useQuery<Name extends OperationName>(
  name: Name,
  input: Parameters<typeof api.call<Name>>[1] | null,
  options: QueryOptions = {},
): Query<Answer<Name>> {
  const key = input === null ? '' : JSON.stringify([name, input, options])
  const entry = useMemo(() => (input === null ? idleEntry() : entryOf(key, name, input as object, options)), [key])
  useEffect(() => {
    entry.users++
    // The person has come back to a screen that could not be read.
    if (entry.error.peek() !== null) void entry.reload()
    return () => {
      entry.users--
      if (entry.users === 0) setTimeout(() => entry.users === 0 && drop(key, entry), keptMs)
    }
  }, [entry])
  return entry as unknown as Query<Answer<Name>>
}

function drop(key: string, entry: Entry) {
  entry.stop()
  if (entries.get(key) === entry) entries.delete(key)
}

/** After another person has signed in. */
export function forgetQueries(): void {
  for (const [key, entry] of entries) drop(key, entry)
}

const idleEntry = (): Entry => ({
  ...{ data: signal(undefined), error: signal(null), etag: signal(null), next: signal(null), users: 0 },
  reload: async () => {},
  stop: () => {},
})

function entryOf(key: string, name: OperationName, input: object, options: QueryOptions): Entry {
  const present = entries.get(key)
  if (present !== undefined) return present
  const entry = newEntry(name, input, options)
  entries.set(key, entry)
  return entry
}

function newEntry(name: OperationName, input: object, options: QueryOptions): Entry {
  const data = signal<unknown>(undefined)
  const error = signal<unknown>(null)
  const etag = signal<string | null>(null)
  const next = signal<string | null>(null)
  const wanted = new Set(options.kinds ?? kindsOf(name))
  const repeat = repeater(async () => {
    try {
      let tag: string | null = null
      let cursor: string | null = null
      const onHeaders = (headers: Pick<Headers, 'get'>) => {
        tag = headers.get('etag')
        cursor = headers.get('berth-next-cursor')
      }
      const answer = await (api as Client & { call(name: string, ...args: unknown[]): Promise<unknown> }).call(
        name,
        input,
        { onHeaders },
      )
      // The cursor belongs to the answer.
      next.value = cursor
      data.value = answer
      etag.value = tag
      error.value = null
    } catch (caught) {
      error.value = caught
    }
  })
  const unsubscribe = onEvent((event) => isAbout(event, wanted, options.recordId) && repeat.later())
  const timer = options.everyMs === undefined ? undefined : setInterval(repeat.later, options.everyMs)
  const endRetry = effect(() => {
    if (isLive.value === true && error.peek() !== null) repeat.later()
  })
  void repeat.now()
  const stop = () => {
    clearInterval(timer)
    endRetry()
    unsubscribe()
    repeat.stop()
  }
  return { data, error, etag, next, users: 0, reload: repeat.now, stop }
}

const isAbout = (event: Change | Reset, kinds: ReadonlySet<string>, recordId: string | undefined) =>
  event.type === 'reset' || (kinds.has(event.kind) && (recordId === undefined || event.recordId === recordId))

/** Runs `read` one at a time. Repeats that are wanted meanwhile become one. A hidden page waits until it is visible. */
export function repeater(read: () => Promise<void>, intervalMs = minIntervalMs) {
  let running: Promise<void> | null = null
  let isWanted = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let hasStopped = false

  return { now, later, stop }

  async function now(): Promise<void> {
    if (running !== null) {
      isWanted = true
      return running
    }
    clearTimeout(timer)
    timer = undefined
    running = read()
    await running
    running = null
    if (isWanted) {
      isWanted = false
      later()
    }
  }

  function later() {
    if (hasStopped) return
    if (running !== null) isWanted = true
    else if (document.hidden) document.addEventListener('visibilitychange', later, { once: true })
    else timer ??= setTimeout(now, intervalMs)
  }

  function stop() {
    hasStopped = true
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', later)
  }
}
