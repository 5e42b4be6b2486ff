/** A server on a Unix socket whose answers a test sets, for behaviour that a real engine does not show on request. */
import http from 'node:http'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { folderUnder } from '../fixtures/folder.ts'

export interface Asked {
  method: string
  path: string
  query: Record<string, string>
  body: unknown
  /** The decoded X-Registry-Auth. */
  pullsAs?: unknown
}

/** Returns the answer's status and body; undefined: no answer. */
export type Answers = (asked: Asked, response: http.ServerResponse) => [status: number, body: unknown] | undefined

/** Handles a connection that was turned into a two-way stream. */
export type Converse = (asked: Pick<Asked, 'path' | 'query'>, socket: Duplex) => void

export async function fakeApi(answers: Answers, version = '1.41', converse?: Converse) {
  const end = new AsyncDisposableStack()
  const folder = folderUnder(end)
  const asked: Asked[] = []
  const server = http.createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://engine')
    if (url.pathname === '/_ping') return response.setHeader('Api-Version', version).end('OK')
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const one = {
      method: request.method ?? '',
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      body: request.headers['content-type'] === 'application/json' ? (JSON.parse(text) as unknown) : undefined,
    }
    const auth = request.headers['x-registry-auth']
    asked.push(auth === undefined ? one : { ...one, pullsAs: opened(String(auth)) })
    const answer = answers(one, response)
    if (answer) response.writeHead(answer[0]).end(JSON.stringify(answer[1]))
  })
  const hijacked: Duplex[] = []
  if (converse) {
    server.on('upgrade', (request, socket) => {
      const url = new URL(request.url ?? '/', 'http://engine')
      socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n')
      hijacked.push(socket.on('error', () => undefined).resume())
      converse({ path: url.pathname, query: Object.fromEntries(url.searchParams) }, socket)
    })
  }
  const socketPath = join(folder, 'engine.sock')
  await new Promise<void>((resolve) => server.listen(socketPath, resolve))
  end.defer(async () => {
    for (const socket of hijacked) socket.destroy()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { dockerHost: `unix://${socketPath}`, asked, close: () => end.disposeAsync() }
}

/** Decodes padded URL-safe base64, as the engine does. */
function opened(auth: string): unknown {
  if (!/^[\w-]+={0,2}$/.test(auth) || auth.length % 4 !== 0) throw new Error(`${auth} cannot be read`)
  return JSON.parse(Buffer.from(auth, 'base64url').toString())
}
