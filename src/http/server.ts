/** Creates the HTTP server with its routes, hooks, limits and request log. Does not depend on individual operations. */
import { randomBytes } from 'node:crypto'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { App } from '../api/services.ts'
import { methodOf, type Operation } from '../api/contract.ts'
import { refuse, Refusal } from '../errors.ts'
import type { Admitted } from '../api/admit.ts'
import { recordReads } from '../api/precondition.ts'
import { fromFastify, sendError } from './answers.ts'
import { type ConsoleFiles, readConsole } from './documents/console.ts'
import { sendDocument } from './documents/document.ts'
import { acceptsHtml } from './documents/negotiation.ts'
import { clientOfRequest } from './callers/caller.ts'
import { checkHost, hostOf } from './callers/hosts.ts'
import { addEvents, eventsPath } from './events.ts'
import { parseBody } from './input.ts'
import { addPages, pagePaths } from './pages.ts'
import { addRoute, pathOf } from './routes.ts'
import { answerSocket, closeIncomplete } from './sockets.ts'
import { turnEnds } from './turns.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The name of the operation or the path of the page. Empty if the request matches no route. */
    op: string
    /** The caller's account. Empty if there is none. */
    accountId: string
    /** Proof of access to the operation. Null until the access is checked. */
    admitted: Admitted | null
  }
  interface FastifyInstance {
    /** `begun` is true from the start of the shutdown. */
    closing: { begun: boolean }
  }
}

/** Limits of sizes in bytes and of times in milliseconds. */
const limits = {
  bodyLimit: 1024 * 1024,
  /** Maximum time until the whole request has arrived. The answer may take longer. */
  requestTimeout: 60_000,
  /** Maximum time without a byte in either direction. Must be longer than `maxWaitSeconds` in headers.ts. */
  connectionTimeout: 660_000,
  keepAliveTimeout: 75_000,
  http: { headersTimeout: 15_000, connectionsCheckingInterval: 5_000, maxHeaderSize: 16 * 1024 },
}
const maxConnections = 4096

/** Creates the server. To start it, call `listen`; to test it without a socket, call `inject`. */
export function openServer(app: App, operations: readonly Operation[]): FastifyInstance {
  const newRequestId = requestIds()
  const server = Fastify({
    ...limits,
    logger: false,
    exposeHeadRoutes: false,
    // Operations validate their own input. These two builders keep Fastify from loading its validator and serializer.
    schemaController: { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } },
    // During the shutdown, Berth still answers requests on open connections.
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
    // Open streams would delay the shutdown.
    app.engineQueries.abortStreams()
    app.events.release()
  })
  server.removeAllContentTypeParsers()
  server.addContentTypeParser(
    ['application/json', '*'],
    { parseAs: 'buffer' },
    async (_request: unknown, body: Buffer) => parseBody(body),
  )
  const consoleFiles = readConsole()
  const methods = new Map([
    ...[...pagePaths, eventsPath, ...consoleFiles.assets.keys()].map((path) => [path, 'GET'] as const),
    ...operations.map((it) => [pathOf(it), methodOf(it)] as const),
  ])
  addHooks(server, app, methods, consoleFiles)
  const turnEnd = turnEnds()
  const reads = recordReads(operations)
  for (const operation of operations) addRoute(server, app, operation, reads.get(operation.name), turnEnd)
  addEvents(server, app)
  addPages(server, app, operations, consoleFiles)
  return server
}

function refuseSchema(): never {
  throw new Error('A route must not declare a Fastify schema')
}

/** @param methods for each path the method that it accepts */
function addHooks(server: FastifyInstance, app: App, methods: ReadonlyMap<string, string>, consoleFiles: ConsoleFiles) {
  const reserved = new Set([...methods.keys()].map(firstSegment))
  server.addHook('onRequest', (request, reply, done) => {
    beginAnswer(request, reply)
    if (!request.is404) done()
    else if (isConsolePage(request, reserved)) sendConsole(app, request, reply, consoleFiles).catch(done)
    else done(unmatchedRefusal(request, reply, methods))
  })
  server.addHook('onResponse', (request, reply, done) => {
    logRequest(app, request, reply)
    closeIncomplete(request.raw)
    done()
  })
  server.setErrorHandler((error, request, reply) => sendError(app, request, reply, fromFastify(error)))
}

function beginAnswer(request: FastifyRequest, reply: FastifyReply) {
  reply.header('x-request-id', request.id)
  reply.header('cache-control', 'no-store')
  reply.header('x-content-type-options', 'nosniff')
}

/**
 * The decoded path of a request. Fastify decodes a path only up to `#`, so that the rest can be malformed here.
 * @throws Refusal if the path is not valid percent-encoding
 */
function pathOfRequest({ url }: FastifyRequest): string {
  try {
    return decodeURIComponent(url.split('?', 1)[0]!)
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    return refuse('BAD_REQUEST', 'The path is not valid percent-encoding')
  }
}

const firstSegment = (path: string) => path.split('/', 2)[1] ?? ''

/**
 * Whether a request that matches no route opens a page of the console. The console decides in the browser what its path
 * means.
 *
 * @param reserved the first segments of the paths of all routes
 */
function isConsolePage(request: FastifyRequest, reserved: ReadonlySet<string>): boolean {
  const isReserved = reserved.has(firstSegment(pathOfRequest(request)))
  return request.method === 'GET' && !isReserved && acceptsHtml(request.headers.accept)
}

async function sendConsole(
  app: App,
  request: FastifyRequest,
  reply: FastifyReply,
  { page }: ConsoleFiles,
): Promise<void> {
  request.op = '/'
  checkHost(app.config.hostNames, hostOf(request.raw))
  await sendDocument(request, reply, page(pathOfRequest(request)))
}

/** Returns the refusal of a request that matches no route: the path does not exist or accepts another method. */
function unmatchedRefusal(request: FastifyRequest, reply: FastifyReply, methods: ReadonlyMap<string, string>) {
  const method = methods.get(pathOfRequest(request))
  if (method === undefined)
    return new Refusal('NOT_FOUND', 'No operation has this path. GET /docs lists all operations')
  reply.header('allow', method)
  return new Refusal('METHOD_NOT_SUPPORTED', `Call this path with the method ${method}`)
}

function logRequest(app: App, request: FastifyRequest, reply: FastifyReply) {
  app.log.info('request', {
    op: request.op,
    method: request.method,
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 100) / 100,
    requestId: request.id,
    ...(request.accountId === '' ? {} : { accountId: request.accountId }),
    address: clientOfRequest(app, request).address,
  })
}

/** Returns a generator of request ids. An id consists of a prefix, random for each server, and a counter. */
function requestIds(): () => string {
  const prefix = randomBytes(6).toString('hex')
  let count = 0
  return () => `${prefix}-${++count}`
}
