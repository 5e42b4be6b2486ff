/** The route of an operation. The access is checked before the body is read. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { App } from '../api/services.ts'
import { withoutToken } from '../accounts/authenticate.ts'
import { FileAnswer, methodOf, type Operation } from '../api/contract.ts'
import { admit } from '../api/admit.ts'
import { invoke } from '../api/invoke.ts'
import type { Precondition, RecordRead } from '../api/precondition.ts'
import { refuseField } from '../errors.ts'
import { sendAnswer, sendError } from './answers.ts'
import { callerOf, checkPage, clientOfRequest, setSessionCookie } from './callers/caller.ts'
import { entityTagsOf, idempotencyKeyOf, waitOf } from './headers.ts'
import { checkContentType, inputOfQuery } from './input.ts'
import { sendFile } from './streams/file.ts'
import { disconnectSignal, sendStream } from './streams/ndjson.ts'

export const pathOf = (operation: Operation) => `/api/${operation.name}`

/**
 * Adds the route of an operation.
 *
 * @param read reads the record that the operation changes; undefined: the operation accepts no If-Match
 * @param turnEnd its promise resolves at the end of the current turn of the event loop. Reads are answered then, see
 *   turns.ts
 */
export function addRoute(
  server: FastifyInstance,
  app: App,
  operation: Operation,
  read: RecordRead | undefined,
  turnEnd: () => Promise<void>,
): void {
  const method = methodOf(operation)
  const hasBody = method === 'POST'
  server.route({ method, url: pathOf(operation), onRequest, handler })

  // A token is ignored where none is needed: a client may still send one that has expired.
  const actorOf = async (request: FastifyRequest) =>
    operation.access === 'anyone' ? withoutToken(clientOfRequest(app, request).address) : callerOf(app, request)

  /** Repeats the access check during a stream. */
  const recheck = (request: FastifyRequest) => async () => {
    await admit(app, operation, await actorOf(request))
  }

  async function onRequest(request: FastifyRequest) {
    request.op = operation.name
    const actor = await actorOf(request)
    request.accountId = actor.accountId
    request.admitted = await admit(app, operation, actor)
    if (hasBody) checkContentType(request.headers)
  }

  async function handler(request: FastifyRequest, reply: Parameters<typeof sendAnswer>[0]) {
    try {
      const waitSeconds = hasBody ? waitOf(request.headers.prefer as string | undefined) : 0
      const idempotencyKey = hasBody ? idempotencyKeyOf(request.raw) : null
      const input = hasBody ? (request.body ?? {}) : inputOfQuery(request.query as Record<string, string | string[]>)
      const disconnected = operation.type === 'inspect' ? disconnectSignal(reply.raw) : null
      const precondition = preconditionOf(request, read)
      const checkCookieUse = () => checkPage(app, request)
      const options = { waitSeconds, idempotencyKey, precondition, disconnected, checkCookieUse }
      const answer = await invoke(app, request.admitted!, input as Record<string, unknown>, options)
      setSessionCookie(app, request, reply, answer.cookieSession)
      if (!hasBody) await turnEnd()
      if (answer.stream !== null) await sendStream(app, request, reply, answer, recheck(request))
      else if (answer.body instanceof FileAnswer) {
        await sendFile(app, request, reply, answer.body, answer, recheck(request))
      } else sendAnswer(reply, answer, waitSeconds)
    } catch (error) {
      sendError(app, request, reply, error)
    }
    return reply
  }
}

/** Refuses the header If-Match where it has no meaning. A caller that sends it relies on it. */
function preconditionOf({ headers }: FastifyRequest, read: RecordRead | undefined): Precondition | null {
  const tags = entityTagsOf(headers['if-match'])
  if (tags === null) return null
  if (read === undefined) {
    refuseField('If-Match', 'applies only to changes of a record with an ETag. Leave the header out')
  }
  return { read, tags }
}
