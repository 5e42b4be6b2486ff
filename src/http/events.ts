/**
 * GET /api/events: the changes of records as Server-Sent Events.
 * Source of the format: HTML Living Standard, 9.2 (html.spec.whatwg.org/multipage/server-sent-events.html).
 */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { checkAccess } from '../api/access.ts'
import type { Actor } from '../api/contract.ts'
import { isSameReach } from '../api/reach/reach.ts'
import { Refusal, refuseInput } from '../errors.ts'
import { inputMessage } from '../lib/text/input-message.ts'
import type { App } from '../api/services.ts'
import type { ChangeEvent } from '../events/fields.ts'
import { changesRights, type EventFilter, isWanted, readableEvents } from '../events/filter.ts'
import type { EndReason, EventBatch, EventStream } from '../events/follow.ts'
import { type EventTable, eventKinds } from '../events/table.ts'
import { sendError } from './answers.ts'
import { callerOf } from './callers/caller.ts'
import { inputOfQuery } from './input.ts'

export const eventsPath = '/api/events'
export const eventsAccess = 'user:read'

interface Times {
  /** How often the token is checked, also without events, in milliseconds. */
  checkMs: number
  /** How long a client may take nothing, in milliseconds. */
  stallMs: number
}
const defaultTimes: Times = { checkMs: 3000, stallMs: 15_000 }
/** While the filter leaves out all events, the client gets its position at most this often, in milliseconds. */
const positionMs = 1000
/** Maximum bytes that wait for the client, in addition to the socket's buffer. */
const maxBuffered = 64 * 1024
/** When a client connects again after the connection broke, in milliseconds. */
const reconnectMs = 1000

const Kinds = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(eventKinds)))

/** The parameters of the query. */
export const EventsQuery = z.object({
  kind: Kinds.optional().describe(`Only events of these kinds, separated by commas: ${eventKinds.join(', ')}`),
  projectId: z.string().min(1).max(255).optional().describe('Only events of this project'),
  id: z.string().min(1).max(255).optional().describe('Only events of the record with this id'),
  lastEventId: z
    .string()
    .max(20)
    .optional()
    .describe('In place of the header Last-Event-ID, for clients that cannot set it'),
})

export function addEvents(server: FastifyInstance, app: App, times = defaultTimes): void {
  server.get(eventsPath, async (request, reply) => {
    request.op = 'events'
    try {
      const actor = await actorOf(app, request)
      request.accountId = actor.accountId
      await send(app, request, reply, { actor, times })
    } catch (error) {
      sendError(app, request, reply, error)
    }
    return reply
  })
}

async function actorOf(app: App, request: FastifyRequest): Promise<Actor> {
  const actor = await callerOf(app, request)
  checkAccess(eventsAccess, actor)
  return actor
}

async function send(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  { actor, times }: { actor: Actor; times: Times },
): Promise<void> {
  const parsed = EventsQuery.safeParse(inputOfQuery(request.query as Record<string, string | string[]>), {
    error: inputMessage,
  })
  if (!parsed.success) refuseInput(parsed.error.issues)
  const { kind, projectId, id, lastEventId } = parsed.data
  // Both are checked, although the header counts.
  const [inQuery, inHeader] = [lastEventId, request.headers['last-event-id'] as string | undefined].map(positionOf)
  const after = inHeader ?? inQuery ?? null
  const filter: EventFilter = { kinds: kind ?? null, projectId: projectId ?? null, recordId: id ?? null }
  const stream = await app.events.open(after, actor.accountId)
  reply.raw.once('close', () => stream.end('client'))
  if (reply.raw.destroyed) stream.end('client')
  const text = textOf(stream, filter, times, async () => {
    const present = await actorOf(app, request)
    // The client connects again, and gets the events of its present rights.
    if (present.rol !== actor.rol || !isSameReach(present.reach, actor.reach)) {
      throw new Refusal('FORBIDDEN', 'The rights of the account or of the token have changed')
    }
    return present
  })
  text.on('error', (error) => {
    if (!reply.raw.destroyed) app.log.info('a stream of events ended', { requestId: request.id, reason: error.message })
  })
  // The connection is not reused: otherwise the server's shutdown would wait for it.
  reply.header('connection', 'close').header('content-type', 'text/event-stream; charset=utf-8')
  // Turns off buffering in nginx and proxies that know this header.
  reply.header('x-accel-buffering', 'no').send(text)
}

/** The number in the id of an event. Refuses another text. */
function positionOf(lastEventId: string | undefined): number | null {
  if (lastEventId === undefined || lastEventId === '') return null
  if (!/^\d{1,15}$/.test(lastEventId)) {
    refuseInput([
      { path: ['lastEventId'], message: 'must be the id of an event. Leave it out to begin with the next event' },
    ])
  }
  return Number(lastEventId)
}

/**
 * The messages of a stream. A client that takes nothing for `times.stallMs` is disconnected.
 * @param check repeats the access check, and returns the present actor; if it rejects, the connection is broken
 */
function textOf(stream: EventStream, filter: EventFilter, times: Times, check: () => Promise<Actor>): Readable {
  let sentAt: number | null = null
  /** Since when the client has not taken the last message; null if it has. */
  let waitingSince: number | null = null
  const text = Readable.from(messages(), { objectMode: false, highWaterMark: maxBuffered })
  const timer = setInterval(() => {
    check().catch((error: Error) => breakOff(error, reasonOf(error)))
    if (waitingSince !== null && performance.now() - waitingSince > times.stallMs) {
      breakOff(new Error('The client reads nothing'), 'slowReader')
    }
  }, times.checkMs)
  text.once('close', () => clearInterval(timer))
  return text

  /** Also ends the stream, because `text` closes only after the generator returns. */
  function breakOff(error: Error, reason: EndReason) {
    stream.end(reason)
    text.destroy(error)
  }

  async function* messages(): AsyncGenerator<string> {
    try {
      for await (const batch of stream.batches) {
        const message = await messageFor(batch)
        if (message === '') continue
        waitingSince = performance.now()
        yield sentAt === null ? `retry: ${reconnectMs}\n${message}` : message
        waitingSince = null
        sentAt = performance.now()
      }
    } catch (error) {
      stream.end(reasonOf(error))
      throw error
    }
  }

  /** The rights are checked after the events were read: an event after the loss of a right is not sent. */
  async function messageFor({ events, reached, missed }: EventBatch) {
    const wanted = events.filter((event) => isWanted(event, filter))
    const present =
      wanted.length > 0 || events.some(({ kind }) => kind === 'member' || kind === 'account') ? await check() : null
    const permitted = present === null ? [] : readableEvents(wanted, present)
    // The rights may have changed before the stream began: a change during the stream ends it.
    const hasNewRights = present !== null && events.some((event) => changesRights(event, present))
    // Before the events: if the connection breaks in between, the client gets the reset again.
    const reset = hasNewRights ? resetOf(events[0]!.seq - 1) : ''
    const isLeftOut = permitted.length === 0 && events.length > 0 && !hasNewRights
    if (isLeftOut && sentAt !== null && performance.now() - sentAt < positionMs) return ''
    return reset + messagesOf({ events: permitted, reached, missed })
  }
}

const reasonOf = (error: unknown): EndReason => (error instanceof Refusal ? 'access' : 'failure')

/** The messages of a batch. The last one may have no data: it gives the client its position. */
function messagesOf({ events, reached, missed }: EventBatch): string {
  if (missed) return resetOf(reached)
  const position = events.at(-1)?.seq === reached ? '' : `id: ${reached}\n\n`
  return events.map(messageOf).join('') + position
}

/** The message that makes the client read its records anew. @param position the stream goes on after it */
const resetOf = (position: number) => `id: ${position}\nevent: reset\ndata: {"id":"${position}"}\n\n`

const messageOf = (event: EventTable) => `id: ${event.seq}\ndata: ${JSON.stringify(eventOf(event))}\n\n`

function eventOf({ seq, at, kind, recordId, change, projectId, data }: EventTable): z.input<typeof ChangeEvent> {
  return { id: String(seq), at, kind, recordId, change, projectId, record: JSON.parse(data) }
}
