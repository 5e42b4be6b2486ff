/** Routes that are not operations: console, health, readiness, proof, metrics, OpenAPI, reference. Only metrics need a token. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { checkAccess } from '../api/access.ts'
import type { App } from '../api/services.ts'
import { addressText } from '../../shared/installation-proof.ts'
import { hasAccounts } from '../accounts/accounts.ts'
import { proveInstallation } from '../accounts/installation-proof.ts'
import type { Operation } from '../api/contract.ts'
import { Refusal } from '../errors.ts'
import { memoize } from '../lib/async/memoize.ts'
import { sendError, sendJson } from './answers.ts'
import { callerOf } from './callers/caller.ts'
import { checkHost, hostOf } from './callers/hosts.ts'
import { docsOf } from './docs/page.ts'
import type { ConsoleFiles } from './documents/console.ts'
import { type Document, documentOf, sendDocument } from './documents/document.ts'
import { openApiOf } from './openapi.ts'

/** The paths of these routes, except the files of the console. Their method is GET. */
export const pagePaths = ['/', '/healthz', '/readyz', '/proof', '/metrics', '/openapi.json', '/docs']

export function addPages(
  server: FastifyInstance,
  app: App,
  operations: readonly Operation[],
  consoleFiles: ConsoleFiles,
): void {
  const describe = memoize(() => describeAll(operations))
  const page = (url: string, answer: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>) =>
    server.get(url, async (request, reply) => {
      request.op = url
      await answer(request, reply).catch((error: unknown) => sendError(app, request, reply, error))
      return reply
    })
  const consolePage = (url: string, document: () => Document) =>
    page(url, async (request, reply) => {
      checkHost(app.config.hostNames, hostOf(request.raw))
      await sendDocument(request, reply, document())
    })
  consolePage('/', () => consoleFiles.page('/'))
  for (const [path, asset] of consoleFiles.assets) consolePage(path, () => asset)
  page('/healthz', async (_request, reply) => sendJson(reply, '{"status":"ok"}'))
  page('/readyz', async (_request, reply) => {
    await refuseUnready(app)
    // For `berth login`, which says before its questions that it creates the first account. auth.signIn tells the same.
    const accounts = (await hasAccounts(app.db)) ? 'ok' : 'none'
    sendJson(reply, JSON.stringify({ store: 'ok', engine: 'ok', accounts }))
  })
  page('/proof', async (request, reply) => {
    const { localAddress, localPort } = request.socket
    const address = localAddress === undefined ? null : addressText(localAddress, localPort!)
    sendJson(reply, JSON.stringify(await proveInstallation(app, (request.query as { nonce?: unknown }).nonce, address)))
  })
  page('/metrics', async (request, reply) => {
    // Metrics contain names of services, so they need a session or an API token.
    checkAccess('user:read', await callerOf(app, request))
    reply.header('content-type', 'text/plain; version=0.0.4; charset=utf-8').send(await app.metrics())
  })
  page('/openapi.json', async (request, reply) => sendDocument(request, reply, (await describe()).openApi))
  page('/docs', async (request, reply) => sendDocument(request, reply, (await describe()).docs))
}

/**
 * Generates the OpenAPI document and the reference page. Berth calls this at the first request for one of them and not
 * at startup, because it takes 100 ms.
 */
async function describeAll(operations: readonly Operation[]): Promise<Record<'openApi' | 'docs', Document>> {
  const { html, headers } = docsOf(operations)
  return {
    openApi: documentOf(JSON.stringify(openApiOf(operations)), { 'content-type': 'application/json; charset=utf-8' }),
    docs: documentOf(html, headers),
  }
}

/** Refuses with SERVICE_UNAVAILABLE if Berth is not ready. Each dependency that does not work is an issue. */
async function refuseUnready(app: App) {
  const issues = Object.entries(await app.readiness()).flatMap(([path, message]) =>
    message === '' ? [] : [{ path, message }],
  )
  if (issues.length === 0) return
  const message = issues.map((issue) => `${issue.path}: ${issue.message}`).join('; ')
  throw new Refusal('SERVICE_UNAVAILABLE', message, { issues })
}
