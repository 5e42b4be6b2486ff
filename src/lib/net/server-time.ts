/** Asks an HTTP server for the time: each answer has it in the header `Date` (RFC 9110 section 6.6.1). */
import http from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import type { Egress } from './egress.ts'

/** The time that a server answered. */
export interface Testimony {
  host: string
  time: Date
}

/** The addresses of a connection. */
export type Connection = Pick<Socket, 'localAddress' | 'remoteAddress'>

const timeoutMs = 10_000

/**
 * Returns null if the server is on this machine, or if its answer has no time.
 * @throws if the server does not answer
 */
export async function askTime(
  url: URL,
  egress: Egress,
  isOwnMachine: (connection: Connection) => boolean,
): Promise<Testimony | null> {
  const isPlain = url.protocol === 'http:'
  const agent = isPlain ? egress.httpAgent({}) : egress.httpsAgent({})
  try {
    const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>()
    ;(isPlain ? http : https)
      .request(url, { method: 'HEAD', agent, signal: AbortSignal.timeout(timeoutMs) })
      .on('response', resolve)
      .on('error', reject)
      .end()
    const response = await promise
    const isOwn = isOwnMachine(response.socket)
    response.destroy()
    const time = new Date(response.headers.date ?? NaN)
    return isOwn || Number.isNaN(time.getTime()) ? null : { host: url.host, time }
  } finally {
    agent.destroy()
  }
}
