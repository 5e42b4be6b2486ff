/** One route for each operation. Who may is settled before a byte of the body is read. */
import { setImmediate as endOfTurn } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { authenticate } from '../authenticate.ts'
import { methodOf, type Operation } from '../contract.ts'
import { admit, invoke } from '../invoke.ts'
import { sendAnswer, sendError } from './answers.ts'
import { idempotencyKeyOf, waitOf } from './headers.ts'
import { checkContentType, inputOfQuery } from './input.ts'

export const pathOf = (operation: Operation) => `/api/${operation.name}`

export function addRoute(server: FastifyInstance, app: App, operation: Operation): void {
  const method = methodOf(operation)
  const hasBody = method === 'POST'
  server.route({ method, url: pathOf(operation), onRequest, handler })

  async function onRequest(request: FastifyRequest) {
    request.op = operation.name
    const actor = await authenticate(app, request.headers.authorization, request.socket.remoteAddress ?? '')
    request.accountId = actor.accountId
    request.admitted = admit(operation, actor)
    if (hasBody) checkContentType(request.headers)
  }

  async function handler(request: FastifyRequest, reply: Parameters<typeof sendAnswer>[0]) {
    try {
      const waitSeconds = hasBody ? waitOf(request.headers.prefer as string | undefined) : 0
      const idempotencyKey = hasBody ? idempotencyKeyOf(request.raw) : null
      const input = hasBody ? request.body ?? {} : inputOfQuery(request.query as Record<string, string | string[]>)
      const options = { waitSeconds, idempotencyKey }
      const answer = await invoke(app, request.admitted!, input as Record<string, unknown>, options)
      // Reads of one turn of the event loop are answered together: each by itself would wake its caller by itself,
      // which costs more than the read. Writes are already, by their commit.
      if (!hasBody) await endOfTurn()
      sendAnswer(reply, answer, waitSeconds)
    } catch (error) {
      sendError(app, request, reply, error)
    }
    return reply
  }
}
