/** A client of GET /api/events that keeps every message, for tests. */
import assert from 'node:assert/strict'
import { until } from '../engine/until.ts'

export interface Message {
  id: string
  event: string
  /** Null in a message that only has the position. */
  data: Record<string, unknown> | null
}

export type EventStream = Awaited<ReturnType<typeof openStream>>

/**
 * Opens a stream and waits for its first message, which has the position. Aborts it at the end of the scope.
 * @param query parameters in the form of a URL, for example `kind=project`
 */
export async function openStream(url: string, token: string, query = '', lastEventId?: string) {
  const abort = new AbortController()
  const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId }
  const response = await fetch(`${url}/api/events?${query}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
    signal: abort.signal,
  })
  assert.equal(response.status, 200, response.ok ? '' : await response.text())
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  const messages: Message[] = []
  let hasEnded = false
  const end = keepMessages(response.body!, messages).finally(() => {
    hasEnded = true
  })
  await until('the position', async () => messages.length > 0 || hasEnded)
  return {
    messages,
    /** Resolves when the server ends the stream. */
    end,
    hasEnded: () => hasEnded,
    changes: () => messages.flatMap(({ event, data }) => (event === 'message' && data !== null ? [data] : [])),
    position: () => messages.at(-1)!.id,
    /** Waits for an event, and returns it. */
    event: (description: string, isIt: (data: Record<string, unknown>) => boolean) =>
      until(description, async () => messages.find(({ data }) => data !== null && isIt(data))?.data),
    async [Symbol.asyncDispose]() {
      abort.abort()
      await end
    },
  }
}

/** Adds the messages to `messages` until the stream ends or breaks. */
async function keepMessages(body: ReadableStream<Uint8Array>, messages: Message[]): Promise<void> {
  let rest = ''
  const decoder = new TextDecoder()
  try {
    for await (const chunk of body) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n\n')
      rest = parts.pop()!
      messages.push(...parts.map(messageOf))
    }
  } catch {
    // The connection is broken, by the server or at the end of the scope.
  }
}

function messageOf(text: string): Message {
  const fields = Object.fromEntries(text.split('\n').map((line) => line.split(/: (.*)/s))) as Record<string, string>
  const { id, event = 'message', data } = fields
  return { id: id!, event, data: data === undefined ? null : JSON.parse(data) }
}
