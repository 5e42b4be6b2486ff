/**
 * Follows the changes of records, and goes on where it stopped after the connection broke.
 * Source of the format: HTML Living Standard, 9.2 (server-sent events).
 */
import { BerthError } from './error.ts'
import { linesOf } from './lines.ts'
import type { CallOptions } from './method.ts'
import type { ChangeEvent, EventKind, ResetEvent } from './operations.ts'
import { delayAfter, isTransient, pause, type Request, type Send } from './request.ts'

/** A record was created, changed or removed. */
export interface Change extends ChangeEvent {
  type: 'change'
}

/** Events were missed, because the position was too old: read the records anew. */
export interface Reset extends ResetEvent {
  type: 'reset'
}

export interface EventsInput {
  /** Only events of these kinds. A newer Berth may have further kinds. */
  kinds?: readonly (EventKind | (string & {}))[]
  projectId?: string
  /** Only events of the record with this id. */
  id?: string
  /** The id of the last known event. Without it the stream begins with the next event. */
  lastEventId?: string
}

export interface EventsOptions extends Pick<CallOptions, 'signal' | 'headers'> {
  /** Called with true after each connection, when its position is known, and with false when it has ended. */
  onConnection?(isConnected: boolean): void
}

/**
 * Connects again after the connection broke, until `signal` aborts.
 * @throws BerthError if Berth refuses the stream
 */
export async function* followEvents(
  send: Send,
  input: EventsInput,
  options: EventsOptions,
): AsyncGenerator<Change | Reset, void, undefined> {
  let position = input.lastEventId
  for (let failures = 0; ; failures++) {
    let isConnected = false
    let delayMs = firstDelayMs
    try {
      const request = requestOf(input, position, options)
      const lines = await send(request, async (response, lost) => linesOf(response, lost, options.signal))
      for await (const { id, event, data } of messagesOf(lines)) {
        position = id ?? position
        // Before Berth has sent a position, a change can be missed. Afterwards it cannot.
        if (!isConnected && id !== undefined) {
          isConnected = true
          failures = 0
          options.onConnection?.(true)
        }
        if (data !== '') yield { ...JSON.parse(data), type: event }
      }
    } catch (error) {
      if (!(error instanceof BerthError) || !isTemporary(error)) throw error
      delayMs = delayAfter(failures, error)
    } finally {
      if (isConnected) options.onConnection?.(false)
    }
    await pause(delayMs, options.signal)
  }
}

/** Milliseconds until the next connection after Berth ended the last one. */
const firstDelayMs = 200

/** TOO_MANY_REQUESTS: there are too many streams at the moment. */
const isTemporary = (error: BerthError) => error.code === 'TOO_MANY_REQUESTS' || isTransient(error, true)

function requestOf(
  { kinds, projectId, id }: EventsInput,
  position: string | undefined,
  options: EventsOptions,
): Request {
  const filters = Object.entries({ kind: kinds?.join(), projectId, id }).filter(([, value]) => value !== undefined)
  return {
    method: 'GET',
    path: `api/events?${new URLSearchParams(filters as [string, string][])}`,
    accept: 'text/event-stream',
    headers: position === undefined ? {} : { 'last-event-id': position },
    isRepeatable: true,
    // The loop above connects again, and tells so.
    retries: 0,
    options,
  }
}

interface Message {
  id: string | undefined
  event: 'change' | 'reset'
  data: string
}

async function* messagesOf(lines: AsyncIterable<string>): AsyncGenerator<Message, void, undefined> {
  let fields: Record<string, string> = {}
  for await (const line of lines) {
    const [, name, value] = /^(\w+):? ?(.*)$/.exec(line) ?? []
    if (name !== undefined) fields[name] = value!
    else if (line === '') {
      yield { id: fields.id, event: fields.event === 'reset' ? 'reset' : 'change', data: fields.data ?? '' }
      fields = {}
    }
  }
}
