/** The description of GET /api/events in the OpenAPI document. Clients derive the type of an event from it. */
import { z } from 'zod'
import { accessText } from '../api/access.ts'
import { type Code, statusOf } from '../errors.ts'
import { limits } from '../events/follow.ts'
import { ChangeEvent, EventKind, ResetEvent } from '../events/fields.ts'
import { EventsQuery, eventsAccess } from './events.ts'
import { headersOf, type Json } from './openapi-components.ts'
import { queryParameters, type Schema } from './openapi-schemas.ts'

/** The schemas of the data of events, as components. */
export const eventSchemas = { EventKind, ChangeEvent, ResetEvent }

const description =
  'The answer is a stream of Server-Sent Events: one message for each change of a record, with the data ChangeEvent. ' +
  'A message without data gives the client its position. The message `event: reset`, with the data ResetEvent, means ' +
  'that events were missed, or that your rights may have changed: read the records again. After the connection broke, ' +
  'send the id of the last message as Last-Event-ID: the stream then goes on without a gap. The stream sends only ' +
  'events that the token may read, and ends when the token expires, is revoked or loses a right. At most ' +
  `${limits.streams} streams are open at a time, at most ${limits.streamsOfAccount} of one account. Berth disconnects ` +
  'clients that read too slowly.'

const refusals: Code[] = [
  'BAD_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'TOO_MANY_REQUESTS',
  'INTERNAL_SERVER_ERROR',
  'SERVICE_UNAVAILABLE',
]

export function eventsPathItem(): Json {
  return {
    get: {
      operationId: 'events',
      tags: ['events'],
      summary: 'Follow the changes of records',
      description: `${description}\n\nAccess: ${accessText(eventsAccess)}.`,
      parameters: parameters(),
      responses: {
        200: {
          description: 'The stream. The schema describes the data of one message',
          headers: headersOf(['X-Request-Id']),
          content: { 'text/event-stream': { schema: { anyOf: [refer('ChangeEvent'), refer('ResetEvent')] } } },
        },
        ...Object.fromEntries(refusals.map((code) => [statusOf[code], { $ref: `#/components/responses/${code}` }])),
      },
    },
  }
}

const refer = (name: keyof typeof eventSchemas) => ({ $ref: `#/components/schemas/${name}` })

function parameters(): Json[] {
  const schema = z.toJSONSchema(EventsQuery, { io: 'input' }) as Schema
  const lastEventId = { type: 'string', pattern: '^[0-9]{0,15}$' }
  const query = queryParameters(schema).map((parameter) => {
    // A list in one parameter, separated by commas.
    if (parameter.name === 'kind') {
      const kinds = { type: 'array', minItems: 1, items: refer('EventKind') }
      return { ...parameter, style: 'form', explode: false, schema: kinds }
    }
    return parameter.name === 'lastEventId' ? { ...parameter, schema: lastEventId } : parameter
  })
  const header = {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'The id of the last known event. Without it the stream begins with the next event',
    schema: lastEventId,
  }
  return [header, ...query]
}
