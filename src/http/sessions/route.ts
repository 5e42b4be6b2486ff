/** The route of a session: the same checks as for other operations, and then a WebSocket in place of an answer. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { App } from '../../api/services.ts'
import { admit } from '../../api/admit.ts'
import type { Operation } from '../../api/contract.ts'
import { type BegunSession, planSession } from '../../api/sessions/open-session.ts'
import { subprotocol } from '../../sessions/protocol.ts'
import { sendError } from '../answers.ts'
import { callerOf } from '../callers/caller.ts'
import { inputOfQuery } from '../input.ts'
import { pathOf, preconditionOf } from '../routes.ts'
import { checkRepeatedly } from './access-checks.ts'
import { channelOn } from './web-socket.ts'
import { checkHandshake, type Upgrade, type Upgrades } from './upgrades.ts'

/** The largest message that a client may send, in bytes. */
const maxPayload = 1024 * 1024

export function addSession(
  server: FastifyInstance,
  app: App,
  operation: Operation & { type: 'session' },
  upgrades: Upgrades,
): void {
  const lists = listsOf(operation.input)
  server.route({ method: 'GET', url: pathOf(operation), onRequest, handler })

  const checkAccess = async (request: FastifyRequest) => {
    const actor = await callerOf(app, request)
    request.accountId = actor.accountId
    return admit(app, operation, actor)
  }

  async function onRequest(request: FastifyRequest) {
    request.op = operation.name
    request.admitted = await checkAccess(request)
  }

  async function handler(request: FastifyRequest, reply: FastifyReply) {
    try {
      preconditionOf(request, undefined)
      const input = inputOfQuery(request.query as Record<string, string | string[]>, lists)
      const planned = await planSession(app, request.admitted!, input)
      const upgrade = upgrades.of(request.raw)
      checkHandshake(request.raw, subprotocol)
      const { WebSocketServer } = await import('ws')
      const sockets = new WebSocketServer({
        noServer: true,
        clientTracking: false,
        perMessageDeflate: false,
        maxPayload,
        handleProtocols: () => subprotocol,
      })
      const session = await planned.begin()
      reply.hijack()
      const check = async () => planned.check((await checkAccess(request)).actor)
      await serve(app, request, sockets, upgrade, session, check)
    } catch (error) {
      sendError(app, request, reply, error)
    }
    return reply
  }
}

/** The parameters that are lists. */
const listsOf = ({ shape }: z.ZodObject): string[] =>
  Object.keys(shape).filter((name) => (shape[name] as z.ZodType).safeParse([]).success)

/** Completes the handshake, and runs the session to its end. */
async function serve(
  app: App,
  request: FastifyRequest,
  sockets: import('ws').WebSocketServer,
  { socket, head, takeOver }: Upgrade,
  session: BegunSession,
  check: () => Promise<void>,
): Promise<void> {
  takeOver()
  const opened = Promise.withResolvers<import('ws').WebSocket | null>()
  socket.once('close', () => opened.resolve(null))
  // A socket that was closed earlier emits no event, and the upgrade does not call back.
  if (socket.destroyed) opened.resolve(null)
  sockets.handleUpgrade(request.raw, socket, head, opened.resolve)
  const channel = channelOn(await opened.promise, { stalledMs: app.config.sessionIdleMs })
  const fields = { op: request.op, requestId: request.id, accountId: request.accountId }
  const access = checkRepeatedly(check, (error) => app.log.error('cannot check the access of a session', error, fields))
  app.log.info('session begun', { ...fields, address: request.client.address })
  try {
    await session.run(channel, access.ended)
  } finally {
    access.stop()
    channel.close()
    app.log.info('session ended', fields)
  }
}
