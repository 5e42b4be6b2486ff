/**
 * A registry that knows no images, in this process: it asks for Basic as Distribution does, and looks at names and
 * passwords. What a test puts into `answer` comes in the place of that.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { certificateData, privateKey } from './lasting-certificate.ts'

/** Names and their passwords; null: everybody that says who they are is let in. */
export type Users = Record<string, string> | null

export interface Options {
  users?: Users
  /** Speaks TLS, with a certificate that it signed itself, for another name. */
  tls?: boolean
}

export type TinyRegistry = Awaited<ReturnType<typeof startTinyRegistry>>

export async function startTinyRegistry({ users = null, tls = false }: Options = {}) {
  const it = {
    users,
    /** Answers in place of the registry where it gives true. */
    answer: (_request: IncomingMessage, _response: ServerResponse): boolean => false,
  }
  const seen: string[] = []
  const listener: RequestListener = (request, response) => {
    const { authorization } = request.headers
    if (authorization !== undefined) seen.push(authorization)
    if (it.answer(request, response)) return
    response.setHeader('docker-distribution-api-version', 'registry/2.0')
    if (isIn(it.users, authorization)) return void response.end('{}')
    response.writeHead(401, { 'www-authenticate': 'Basic realm="it"' }).end('{"errors":[{"code":"UNAUTHORIZED"}]}')
  }
  const server = tls ? https.createServer({ cert: certificateData, key: privateKey }, listener) : createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return Object.assign(it, {
    host: `127.0.0.1:${port}`,
    /** The Authorization headers that came in, in order. */
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  })
}

function isIn(users: Users, authorization: string | undefined): boolean {
  const [scheme, given = ''] = (authorization ?? '').split(' ')
  if (scheme !== 'Basic') return false
  const plain = Buffer.from(given, 'base64').toString()
  const colon = plain.indexOf(':')
  return users === null || users[plain.slice(0, colon)] === plain.slice(colon + 1)
}
