/**
 * GET /api/events: the changes of records as Server-Sent Events.
 * Source of the format: HTML Living Standard, 9.2 (html.spec.whatwg.org/multipage/server-sent-events.html).
 */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { authenticate } from '../accounts/authenticate.ts'
import { checkAccess } from '../api/access.ts'
import type { Actor } from '../api/contract.ts'
import { refuseInput } from '../errors.ts'
import type { App } from '../api/services.ts'
import type { EventBatch } from '../events/follow.ts'
import type { EventFilter } from '../events/queries.ts'
import { type EventTable, eventKinds } from '../events/table.ts'
import { sendError } from './answers.ts'
import { inputOfQuery } from './input.ts'
import { disconnectSignal } from './stream.ts'

export const eventsPath = '/api/events'

/** How often the token is checked again, and how long a client may take nothing, in milliseconds. */
const [checkMs, stallMs] = [3000, 15_000]
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

export function addEvents(server: FastifyInstance, app: App): void {
  server.get(eventsPath, async (request, reply) => {
    request.op = 'events'
    try {
      const actor = await actorOf(app, request)
      request.accountId = actor.accountId
      await send(app, request, reply, actor)
    } catch (error) {
      sendError(app, request, reply, error)
    }
    return reply
  })
}

async function actorOf(app: App, { headers, socket }: FastifyRequest): Promise<Actor> {
  const actor = await authenticate(app, headers.authorization, socket.remoteAddress ?? '')
  checkAccess('user:read', actor)
  return actor
}

async function send(app: App, request: FastifyRequest, reply: FastifyReply, actor: Actor): Promise<void> {
  const parsed = EventsQuery.safeParse(inputOfQuery(request.query as Record<string, string | string[]>))
  if (!parsed.success) refuseInput(parsed.error.issues)
  const { kind, projectId, id, lastEventId } = parsed.data
  const filter: EventFilter = {
    kinds: kind ?? null,
    projectId: projectId ?? null,
    recordId: id ?? null,
    limitedTo: actor.rol === 'admin' ? null : actor.accountId,
  }
  const after = positionOf((request.headers['last-event-id'] as string | undefined) ?? lastEventId)
  const text = textOf(await app.events.follow(after, filter, disconnectSignal(reply.raw)), async () => {
    const { rol } = await actorOf(app, request)
    // The client connects again, and gets the events of its present role.
    if (rol !== actor.rol) throw new Error('The role of the account has changed')
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
  if (!/^\d{1,16}$/.test(lastEventId)) {
    refuseInput([
      { path: ['lastEventId'], message: 'must be the id of an event. Leave it out to begin with the next event' },
    ])
  }
  return Number(lastEventId)
}

/** @param check repeats the access check; if it rejects, the connection is broken */
function textOf(batches: AsyncGenerator<EventBatch>, check: () => Promise<void>): Readable {
  let takenAt = performance.now()
  let isWaitingForClient = false
  const text = Readable.from(messages(), { objectMode: false, highWaterMark: maxBuffered })
  const timer = setInterval(() => {
    if (isWaitingForClient && performance.now() - takenAt > stallMs) text.destroy(new Error('The reader takes nothing'))
    else check().catch((error: Error) => text.destroy(error))
  }, checkMs)
  text.once('close', () => clearInterval(timer))
  return text

  async function* messages(): AsyncGenerator<string> {
    yield* taken(`retry: ${reconnectMs}\n\n`)
    for await (const batch of batches) yield* taken(messagesOf(batch))
  }

  /** Notes whether the client takes what it is sent. */
  async function* taken(message: string) {
    isWaitingForClient = true
    yield message
    isWaitingForClient = false
    takenAt = performance.now()
  }
}

/** The messages of a batch. The last one has no data: it gives the client its position. */
export function messagesOf({ events, reached, missed }: EventBatch): string {
  const position = events.at(-1)?.seq === reached ? '' : `id: ${reached}\n\n`
  const reset = missed ? `event: reset\nid: ${reached}\ndata: {"id":"${reached}"}\n\n` : ''
  return reset + events.map(messageOf).join('') + (missed ? '' : position)
}

const messageOf = (event: EventTable) => `id: ${event.seq}\ndata: ${JSON.stringify(eventOf(event))}\n\n`

function eventOf({ seq, at, kind, recordId, change, projectId, data }: EventTable) {
  return { id: String(seq), at, kind, recordId, change, projectId, record: JSON.parse(data) as unknown }
}
