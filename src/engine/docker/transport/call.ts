/** Sends one request to Docker's API over node:http. A signal aborts the request. errors.ts classifies failures. */
import http from 'node:http'
import type { Duplex } from 'node:stream'
import { EngineUnavailable } from '../../engine.ts'
import { errorForStatus, unavailable } from './errors.ts'
import type { Dial } from './host.ts'

export interface Call {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  /** Objects are sent as JSON, as the API requires for `filters`. */
  query?: Record<string, string | number | object>
  /** A buffer is sent as a tar archive, anything else as JSON. */
  body?: unknown
  headers?: Record<string, string>
  /** The time limit for the complete answer, or for its headers if the answer is a stream. Absent: the default. */
  timeoutMs?: number
}

/**
 * Returns a successful answer whose body the caller has to read. Throws what `errorForStatus` returns for an error
 * status, and EngineUnavailable if there is no answer.
 * @param version the prefix of all paths, like `/v1.41`
 */
export async function open(
  dial: Dial,
  version: string,
  call: Call,
  signal: AbortSignal,
): Promise<http.IncomingMessage> {
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const request = send(dial, version, call, {}, signal)
    request.on('response', resolve).on('error', (error) => reject(unavailable(error)))
  })
  return throwIfError(response)
}

/** Turns the connection into a stream of bytes in both directions (Docker's "hijacking"). */
export async function openHijacked(dial: Dial, version: string, call: Call, signal: AbortSignal): Promise<Duplex> {
  const opened = await new Promise<Duplex | http.IncomingMessage>((resolve, reject) => {
    const request = send(dial, version, call, { connection: 'Upgrade', upgrade: 'tcp' }, signal)
    request.on('response', resolve).on('error', (error) => reject(unavailable(error)))
    request.on('upgrade', (_response, socket, head) => {
      if (head.length > 0) socket.unshift(head)
      resolve(socket)
    })
  })
  if (!(opened instanceof http.IncomingMessage)) return opened
  await throwIfError(opened)
  throw new EngineUnavailable(`The engine did not open a two-way stream for ${call.path}`)
}

async function throwIfError(response: http.IncomingMessage): Promise<http.IncomingMessage> {
  const status = response.statusCode ?? 0
  if (status >= 200 && status < 300) return response
  throw errorForStatus(status, (await bodyOf(response)).toString())
}

function send(
  dial: Dial,
  version: string,
  call: Call,
  headers: http.OutgoingHttpHeaders,
  signal: AbortSignal,
): http.ClientRequest {
  const isArchive = Buffer.isBuffer(call.body)
  const payload = isArchive ? (call.body as Buffer) : call.body === undefined ? '' : JSON.stringify(call.body)
  const type = isArchive ? 'application/x-tar' : 'application/json'
  const content = payload ? { 'content-type': type, 'content-length': Buffer.byteLength(payload) } : {}
  const request = dial.request({
    ...dial.options,
    signal,
    method: call.method ?? 'GET',
    path: version + call.path + queryOf(call.query),
    headers: { ...content, ...call.headers, ...headers },
  })
  request.end(payload)
  return request
}

function queryOf(query: Call['query'] = {}): string {
  const pairs = Object.entries(query).map(([key, value]) => [
    key,
    typeof value === 'object' ? JSON.stringify(value) : String(value),
  ])
  return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : ''
}

/** The limit of a response body in bytes, far above the expected answers of a large swarm. */
const maxBytes = 256 * 1024 * 1024

/** Reads the body. Throws EngineUnavailable if the connection breaks or the body exceeds the limit. */
export async function bodyOf(response: http.IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of response) {
      chunks.push(chunk as Buffer)
      bytes += (chunk as Buffer).length
      if (bytes > maxBytes)
        throw new EngineUnavailable(`The answer of the engine is larger than ${maxBytes / 1024 ** 2} MiB`)
    }
  } catch (error) {
    throw unavailable(error)
  }
  return Buffer.concat(chunks)
}
