/**
 * Requests of the command line, by node:http. The global `fetch` takes 40 ms more at the first request, because Node
 * loads it then. An import of node:http would load it too, because it needs all exports of a module.
 */
import type { IncomingMessage } from 'node:http'
import type { Answer, Fetch } from '../client/client.ts'

export const fetchByHttp: Fetch = (url, { method, headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const { request } = process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http')
    request(url, { method, headers, ...(signal === undefined ? {} : { signal }) })
      .on('response', (message) => resolve(answerOf(message)))
      .on('error', reject)
      .end(body)
  })

function answerOf(message: IncomingMessage): Answer {
  const status = message.statusCode!
  const get = (name: string) => message.headers[name.toLowerCase()]?.toString() ?? null
  return {
    ok: status >= 200 && status < 300,
    status,
    type: 'basic',
    headers: { get, has: (name) => get(name) !== null },
    text: async () => {
      message.setEncoding('utf8')
      let text = ''
      for await (const part of message) text += part
      return text
    },
    get body() {
      return process.getBuiltinModule('node:stream').Readable.toWeb(message) as Answer['body']
    },
  }
}
