/** What is not an operation: health, readiness, and the descriptions of the API. Open to everybody. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import type { Operation } from '../contract.ts'
import { Refusal } from '../errors.ts'
import { json, sendError } from './answers.ts'

/** Each path with its method. */
export const pages: readonly (readonly [path: string, method: string])[] =
  ['/', '/healthz', '/readyz', '/openapi.json', '/docs'].map((path) => [path, 'GET'])

export function addPages(server: FastifyInstance, app: App, operations: readonly Operation[]): void {
  const page = (url: string, answer: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>) =>
    server.get(url, async (request, reply) => {
      request.op = url
      try {
        await answer(request, reply)
      } catch (error) {
        sendError(app, request, reply, error)
      }
      return reply
    })
  page('/', async (_request, reply) => reply.redirect('docs'))
  page('/healthz', async (_request, reply) => reply.header('content-type', json).send('{"status":"ok"}'))
  page('/readyz', async (request, reply) => {
    const refusal = await unready(app)
    if (refusal !== null) return sendError(app, request, reply, refusal)
    return reply.header('content-type', json).send('{"store":"ok","engine":"ok"}')
  })
  void operations
}

async function unready(app: App): Promise<Refusal | null> {
  const issues = Object.entries(await app.readiness())
    .flatMap(([path, message]) => (message === '' ? [] : [{ path, message }]))
  if (issues.length === 0) return null
  const message = issues.map((issue) => `${issue.path}: ${issue.message}`).join('; ')
  return new Refusal('SERVICE_UNAVAILABLE', message, { issues })
}
