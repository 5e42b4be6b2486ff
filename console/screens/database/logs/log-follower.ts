/** Follows the log of a database, connects again after the connection was lost, and holds lines back while paused. */
import { batch, type ReadonlySignal, signal } from '@preact/signals'
import { BerthError, type LogLine, type Operations } from '../../../../client/client.ts'
import { api } from '../../../data/api.ts'
import { idInput, type Kind } from '../../../data/kinds.ts'
import { appended, emptyBuffer, type Line, type LogBuffer, lineOf, resumeFilter } from './log-buffer.ts'

export interface LogRequest {
  kind: Kind
  databaseId: string
  tail: number
  /** ISO 8601 or a duration such as 15m; empty: from the beginning. */
  since: string
}

/** ended: Berth has ended the stream. failed: Berth refuses it, see `error`. */
export type Connection = 'connecting' | 'live' | 'lost' | 'ended' | 'failed'

export interface LogFollower {
  shown: ReadonlySignal<LogBuffer>
  /** Lines that arrived while paused. */
  waiting: ReadonlySignal<LogBuffer>
  isPaused: ReadonlySignal<boolean>
  connection: ReadonlySignal<Connection>
  error: ReadonlySignal<unknown>
  pause(): void
  resume(): void
  stop(): void
}

const retryMs = 2000
/** Lines are shown in groups, at most this often. */
const flushMs = 100
const maxTail = 5000

export function followLog(request: LogRequest): LogFollower {
  const shown = signal(emptyBuffer)
  const waiting = signal(emptyBuffer)
  const isPaused = signal(false)
  const connection = signal<Connection>('connecting')
  const error = signal<unknown>(null)
  const controller = new AbortController()
  const { receive, flush, clear } = grouped((lines) => {
    const target = isPaused.peek() ? waiting : shown
    target.value = appended(target.peek(), lines)
  })

  void run()
  return { shown, waiting, isPaused, connection, error, pause: () => (isPaused.value = true), resume, stop }

  function resume() {
    batch(() => {
      isPaused.value = false
      const { lines, dropped } = waiting.peek()
      const next = appended(shown.peek(), lines)
      shown.value = { ...next, dropped: next.dropped + dropped }
      waiting.value = emptyBuffer
    })
  }

  function stop() {
    controller.abort()
    clear()
  }

  async function run() {
    let isNew: (line: LogLine) => boolean = () => true
    let { since, tail } = request
    while (!controller.signal.aborted) {
      const wanted = isNew
      const { outcome, error: caught } = await attempt({
        ...{ ...request, since, tail, signal: controller.signal, onOpen: () => (connection.value = 'live') },
        receive: (line) => wanted(line) && receive(line),
      })
      if (controller.signal.aborted) return
      if (outcome === 'failed') error.value = caught
      connection.value = outcome
      if (outcome !== 'lost') return
      await new Promise((resolve) => setTimeout(resolve, retryMs))
      flush()
      const last = (waiting.peek().lines.length > 0 ? waiting : shown).peek().lines
      const end = last.at(-1)?.at
      if (end === undefined) continue
      isNew = resumeFilter(last)
      since = end
      tail = maxTail
    }
  }
}

/** Collects lines for a moment, so that a flood of them changes the page only ten times a second. */
function grouped(show: (lines: readonly Line[]) => void) {
  let arrived: Line[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let count = 0
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    show(arrived)
    arrived = []
  }
  const receive = (entry: LogLine) => {
    arrived.push(lineOf(count++, entry))
    timer ??= setTimeout(flush, flushMs)
  }
  return { receive, flush, clear: () => clearTimeout(timer) }
}

interface Attempt extends LogRequest {
  signal: AbortSignal
  onOpen(): void
  receive(line: LogLine): void
}

/** Follows the log until the stream ends, for whatever reason. */
async function attempt({ kind, databaseId, tail, since, signal: aborted, onOpen, receive }: Attempt) {
  const logs = api[kind].logs as Operations['postgres']['logs']
  const input = { ...idInput(kind, databaseId), tail, ...(since === '' ? {} : { since }) }
  try {
    for await (const line of logs.follow(input as never, { signal: aborted, onHeaders: onOpen })) receive(line)
    return { outcome: 'ended', error: null } as const
  } catch (caught) {
    return { outcome: isLost(caught) ? 'lost' : 'failed', error: caught } as const
  }
}

/** A session that has ended is followed by a new sign-in on the same page, so that the log goes on. */
const isLost = (error: unknown) =>
  error instanceof BerthError &&
  (error.code === 'CONNECTION_LOST' || error.code === 'UNAUTHORIZED' || error.status >= 500)
