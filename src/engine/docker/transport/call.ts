/** Sends one request to Docker's API over node:http. A signal aborts the request. errors.ts classifies failures. */
import http from 'node:http'
import { type Duplex, pipeline, Readable } from 'node:stream'
import { EngineUnavailable } from '../../engine.ts'
import { errorForStatus, unavailable } from './errors.ts'
import type { Dial } from './host.ts'

/** The time without traffic after which the kernel asks whether the other side still exists. */
const keepAliveMs = 15_000

export interface Call {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  /** Objects are sent as JSON, as the API requires for `filters`. */
  query?: Record<string, string | number | object>
  /** A buffer or a stream is sent as a tar archive, anything else as JSON. */
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
    // If the archive breaks, the error of the request says only that the connection ended.
    const causeOf = (error: Error) => (call.body instanceof Readable ? call.body.errored : null) ?? error
    request.on('response', resolve).on('error', (error) => reject(unavailable(causeOf(error))))
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
  const { body } = call
  const isArchive = Buffer.isBuffer(body) || body instanceof Readable
  const payload = isArchive ? body : body === undefined ? '' : JSON.stringify(body)
  const length = payload instanceof Readable ? {} : { 'content-length': Buffer.byteLength(payload) }
  const content = payload ? { 'content-type': isArchive ? 'application/x-tar' : 'application/json', ...length } : {}
  const request = dial.request({
    ...dial.options,
    signal,
    method: call.method ?? 'GET',
    path: version + call.path + queryOf(call.query),
    headers: { ...content, ...call.headers, ...headers },
  })
  // Without keep-alive, the connection to a host that vanished would stay open for as long as both sides are silent.
  request.on('socket', (socket) => socket.once('connect', () => socket.setKeepAlive(true, keepAliveMs)))
  if (dial.connectMs !== undefined) limitConnection(request, dial.connectMs)
  // If the archive breaks, the request must not end as if the archive were complete.
  if (payload instanceof Readable) pipeline(payload, request, () => undefined)
  else request.end(payload)
  return request
}

/** Fails the request if its connection is not open after the time, with its TLS handshake. */
function limitConnection(request: http.ClientRequest, ms: number): void {
  const timer = setTimeout(() => request.destroy(new Error(`no connection within ${ms / 1000} seconds`)), ms)
  const clear = () => clearTimeout(timer)
  request.on('socket', (socket) => socket.once('secureConnect', clear)).once('close', clear)
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
