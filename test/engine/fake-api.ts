/** A server on a socket of its own that answers as a test says: for what a real engine does not do on request. */
import { mkdtemp, rm } from 'node:fs/promises'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Asked { method: string; path: string; query: Record<string, string>; body: unknown }

/** Gives the answer's status and body; undefined: none at all. */
export type Answers = (asked: Asked, response: http.ServerResponse) => [status: number, body: unknown] | undefined

export async function fakeApi(answers: Answers, version = '1.41') {
  const folder = await mkdtemp(join(tmpdir(), 'berth-engine-'))
  const asked: Asked[] = []
  const server = http.createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://engine')
    if (url.pathname === '/_ping') return response.setHeader('Api-Version', version).end('OK')
    let text = ''
    for await (const chunk of request) text += String(chunk)
    const one = {
      method: request.method ?? '', path: url.pathname, query: Object.fromEntries(url.searchParams),
      body: text ? JSON.parse(text) as unknown : undefined,
    }
    asked.push(one)
    const answer = answers(one, response)
    if (answer) response.writeHead(answer[0]).end(JSON.stringify(answer[1]))
  })
  const socketPath = join(folder, 'engine.sock')
  await new Promise<void>((resolve) => server.listen(socketPath, resolve))
  return {
    dockerHost: `unix://${socketPath}`,
    asked,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(folder, { recursive: true })
    },
  }
}
