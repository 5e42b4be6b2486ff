/** A server on a Unix socket whose answers a test sets, for behaviour that a test cannot provoke in a real engine. */
import http from 'node:http'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { folderUnder } from '../fixtures/folder.ts'

export interface ApiRequest {
  method: string
  path: string
  query: Record<string, string>
  body: unknown
  /** The decoded X-Registry-Auth header; absent if the request has none. */
  registryAuth?: unknown
}

/** Returns the status and body of the answer. Undefined: the function answers later or never. */
export type Answers = (
  request: ApiRequest,
  response: http.ServerResponse,
) => [status: number, body: unknown] | undefined

/** Handles a connection that was turned into a two-way stream. */
export type OnUpgrade = (request: Pick<ApiRequest, 'path' | 'query'>, socket: Duplex) => void

/** Starts the server. `requests` of the result has every request except GET /_ping. */
export async function fakeApi(answers: Answers, version = '1.41', onUpgrade?: OnUpgrade) {
  const end = new AsyncDisposableStack()
  const folder = folderUnder(end)
  const requests: ApiRequest[] = []
  const server = http.createServer(async (message, response) => {
    const url = new URL(message.url ?? '/', 'http://engine')
    if (url.pathname === '/_ping') return response.setHeader('Api-Version', version).end('OK')
    let text = ''
    for await (const chunk of message) text += String(chunk)
    const request = {
      method: message.method ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      body: message.headers['content-type'] === 'application/json' ? (JSON.parse(text) as unknown) : undefined,
    }
    const auth = message.headers['x-registry-auth']
    requests.push(auth === undefined ? request : { ...request, registryAuth: decodeAuth(String(auth)) })
    const answer = answers(request, response)
    if (answer) response.writeHead(answer[0]).end(JSON.stringify(answer[1]))
  })
  const hijacked: Duplex[] = []
  if (onUpgrade) {
    server.on('upgrade', (message, socket) => {
      const url = new URL(message.url ?? '/', 'http://engine')
      socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n')
      hijacked.push(socket.on('error', () => undefined).resume())
      onUpgrade({ path: url.pathname, query: Object.fromEntries(url.searchParams) }, socket)
    })
  }
  const socketPath = join(folder, 'engine.sock')
  await new Promise<void>((resolve) => server.listen(socketPath, resolve))
  end.defer(async () => {
    for (const socket of hijacked) socket.destroy()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { dockerHost: `unix://${socketPath}`, requests, close: () => end.disposeAsync() }
}

/** Decodes padded URL-safe base64, as the engine does. */
function decodeAuth(auth: string): unknown {
  if (!/^[\w-]+={0,2}$/.test(auth) || auth.length % 4 !== 0) throw new Error(`${auth} is not padded URL-safe base64`)
  return JSON.parse(Buffer.from(auth, 'base64url').toString())
}
