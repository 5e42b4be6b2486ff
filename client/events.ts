/**
 * Follows the changes of records, and goes on where it stopped after the connection broke.
 * Source of the format: HTML Living Standard, 9.2 (server-sent events).
 */
import { BerthError } from './error.ts'
import { linesOf } from './lines.ts'
import type { CallOptions } from './method.ts'
import { pause, type Send } from './request.ts'

/** A record was created, changed or removed. */
export interface Change {
  type: 'change'
  /** The position of the event. Events have growing ids; a repeated event has the same id. */
  id: string
  at: string
  /** The kind of the record: database, deployment, run and so on. */
  kind: string
  recordId: string
  change: 'created' | 'changed' | 'removed'
  /** The project of the record; null if it belongs to none. */
  projectId: string | null
  /** Some fields of the record after the change; of a removed record, before it. */
  record: Record<string, unknown>
}

/** Events were missed, because the position was too old: read the records anew. */
export interface Reset {
  type: 'reset'
  id: string
}

export interface EventsInput {
  /** Only events of these kinds. */
  kinds?: readonly string[]
  projectId?: string
  /** Only events of the record with this id. */
  id?: string
  /** The id of the last known event. Without it the stream begins with the next event. */
  lastEventId?: string
}

/** Waits before the first, second and each later attempt to connect again, in milliseconds. */
const pausesMs = [200, 1000, 3000]

/**
 * Connects again after the connection broke, until `signal` aborts. `onConnection` learns of every break and success.
 * @throws BerthError if Berth refuses the stream
 */
export async function* followEvents(
  send: Send,
  { kinds, projectId, id, lastEventId }: EventsInput,
  options: CallOptions & { onConnection?(isConnected: boolean): void },
): AsyncGenerator<Change | Reset, void, undefined> {
  const query = new URLSearchParams()
  if (kinds !== undefined) query.set('kind', kinds.join(','))
  if (projectId !== undefined) query.set('projectId', projectId)
  if (id !== undefined) query.set('id', id)
  let position = lastEventId
  for (let failures = 0; ; failures++) {
    let isConnected = false
    try {
      const headers = position === undefined ? {} : { 'last-event-id': position }
      const response = await send({ method: 'GET', path: `api/events?${query}`, headers, options })
      for await (const message of messagesOf(linesOf(response, options.signal))) {
        position = message.id ?? position
        // The first message has the position: from here on a broken connection is resumed without a gap.
        if (!isConnected) options.onConnection?.(true)
        isConnected = true
        failures = 0
        if (message.data !== '') yield { type: message.event, ...JSON.parse(message.data) }
      }
    } catch (error) {
      if (!(error instanceof BerthError) || error.code !== 'CONNECTION_LOST') throw error
    }
    if (isConnected) options.onConnection?.(false)
    await pause(pausesMs[Math.min(failures, 2)]!, options.signal)
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
