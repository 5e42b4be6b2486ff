/** The HTTP server: routes, hooks, limits and the request log. Independent of individual operations. */
import { randomBytes } from 'node:crypto'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { App } from '../api/services.ts'
import { methodOf, type Operation } from '../api/contract.ts'
import { Refusal } from '../errors.ts'
import type { Admitted } from '../api/invoke.ts'
import { fromFastify, sendError } from './answers.ts'
import { parseBody } from './input.ts'
import { addPages, pages } from './pages.ts'
import { addRoute, pathOf } from './routes.ts'
import { answerSocket, cutOff } from './sockets.ts'
import { turnEnds } from './turns.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The name of the operation or the path of the page; '' if there is none. */
    op: string
    accountId: string
    admitted: Admitted | null
  }
  interface FastifyInstance {
    closing: { begun: boolean }
  }
}

const limits = {
  bodyLimit: 1024 * 1024,
  /** Time for a request to arrive. Does not limit the answer. */
  requestTimeout: 60_000,
  /** Time without a byte in either direction; longer than the longest `Prefer: wait`. */
  connectionTimeout: 660_000,
  keepAliveTimeout: 75_000,
  http: { headersTimeout: 15_000, connectionsCheckingInterval: 5_000, maxHeaderSize: 16 * 1024 },
}
const maxConnections = 4096

/** Creates the server. The caller calls `listen` or `inject`. */
export function openServer(app: App, operations: readonly Operation[]): FastifyInstance {
  const newRequestId = requestIds()
  const server = Fastify({
    ...limits,
    logger: false,
    exposeHeadRoutes: false,
    // Operations validate their input themselves. Without these, Fastify would load its validator and serializer.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    // During shutdown, requests on open connections are still answered.
    return503OnClosing: false,
    genReqId: newRequestId,
    frameworkErrors(error, request, reply) {
      beginAnswer(request, reply)
      sendError(app, request, reply, fromFastify(error))
    },
    clientErrorHandler: (error, socket) => answerSocket(error, socket, newRequestId()),
  })
  server.server.maxConnections = maxConnections
  for (const name of ['op', 'accountId'] as const) server.decorateRequest(name, '')
  server.decorateRequest('admitted', null)
  server.decorate('closing', { begun: false })
  server.addHook('preClose', async () => {
    server.closing.begun = true
    app.engineQueries.release()
  })
  server.removeAllContentTypeParsers()
  server.addContentTypeParser(
    ['application/json', '*'],
    { parseAs: 'buffer' },
    async (_request: unknown, body: Buffer) => parseBody(body),
  )
  addHooks(server, app, new Map([...pages, ...operations.map((it) => [pathOf(it), methodOf(it)] as const)]))
  const turnEnd = turnEnds()
  for (const operation of operations) addRoute(server, app, operation, turnEnd)
  addPages(server, app, operations)
  return server
}

function noSchemas(): never {
  throw new Error('routes have no schemas of their own')
}

/** @param methods the method of each path */
function addHooks(server: FastifyInstance, app: App, methods: ReadonlyMap<string, string>) {
  server.addHook('onRequest', (request, reply, done) => {
    beginAnswer(request, reply)
    if (request.is404) done(refusalFor(request, reply, methods))
    else done()
  })
  server.addHook('onResponse', (request, reply, done) => {
    logRequest(app, request, reply)
    cutOff(request.raw)
    done()
  })
  server.setErrorHandler((error, request, reply) => sendError(app, request, reply, fromFastify(error)))
}

function beginAnswer(request: FastifyRequest, reply: FastifyReply) {
  reply.header('x-request-id', request.id)
  reply.header('cache-control', 'no-store')
  reply.header('x-content-type-options', 'nosniff')
}

function refusalFor(request: FastifyRequest, reply: FastifyReply, methods: ReadonlyMap<string, string>) {
  const method = methods.get(decodeURIComponent(request.url.split('?', 1)[0]!))
  if (method === undefined) return new Refusal('NOT_FOUND', 'There is nothing here. GET /docs lists what there is')
  reply.header('allow', method)
  return new Refusal('METHOD_NOT_SUPPORTED', `Call this with ${method}`)
}

function logRequest(app: App, request: FastifyRequest, reply: FastifyReply) {
  app.log.info('request', {
    op: request.op,
    method: request.method,
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 100) / 100,
    requestId: request.id,
    ...(request.accountId === '' ? {} : { accountId: request.accountId }),
    address: request.socket.remoteAddress,
  })
}

/** Generates request ids: a random prefix for each start of Berth, and a counter. */
function requestIds(): () => string {
  const start = randomBytes(6).toString('hex')
  let count = 0
  return () => `${start}-${++count}`
}
