/**
 * Requests of the command line, by node:http. The global `fetch` takes 40 ms more at the first request, because Node
 * loads it then. An import of node:http would load it too, because it needs all exports of a module.
 */
import type { IncomingMessage } from 'node:http'
import type { Answer, Fetch } from '../../client/client.ts'

export const fetchByHttp: Fetch = (url, { method, headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const { request } = process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http')
    const sent = request(url, { method, headers, timeout: silenceMs, ...(signal === undefined ? {} : { signal }) })
    const giveUp = (reason: string) => void sent.destroy(new Error(reason))
    const timer = setTimeout(giveUp, connectMs, `no connection within ${connectMs / 1000} s`)
    sent
      .on('socket', (socket) => {
        if (socket.connecting) socket.once('connect', () => clearTimeout(timer))
        else clearTimeout(timer)
      })
      .on('timeout', () => giveUp(`nothing has arrived for ${silenceMs / 1000} s`))
      .on('response', (message) => resolve(answerOf(message)))
      .on('error', reject)
      .on('close', () => clearTimeout(timer))
      .end(body)
  })

const connectMs = 10_000
/** Longer than a piece of a wait, and than the pause between two signs of life of a stream. */
const silenceMs = 65_000

function answerOf(message: IncomingMessage): Answer {
  const status = message.statusCode!
  const get = (name: string) => message.headers[name.toLowerCase()]?.toString() ?? null
  return {
    ok: status >= 200 && status < 300,
    status,
    type: 'basic',
    headers: { get, has: (name) => get(name) !== null },
    json: async () => {
      message.setEncoding('utf8')
      let text = ''
      for await (const part of message) text += part
      return JSON.parse(text) as unknown
    },
    get body() {
      return process.getBuiltinModule('node:stream').Readable.toWeb(message) as Answer['body']
    },
  }
}
