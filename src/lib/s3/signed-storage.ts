/**
 * Sends requests on one object that another process signs. Needs neither credentials nor the SDK. Retries, timeouts and
 * faults are those of connection.ts.
 */
import { type ClientRequest, type Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http'
import { type Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { pipeline } from 'node:stream'
import { answerOf } from '../net/answer-of.ts'
import type { Egress } from '../net/egress.ts'
import { readWhole } from '../net/read-whole.ts'
import { connectMs, type FaultContext, faultOf, StorageFault, timeoutFault, type Verb } from './faults.ts'
import { type Part, streamOf } from './parts.ts'
import { type OpenedObject, readObject } from './read-object.ts'
import { defaultLimits, retryWaits } from './retries.ts'
import type { SignedRequest, WantedRequest } from './sign.ts'

export interface SignedStorageOptions {
  /** Signs a request. Called for each attempt, because signatures expire. */
  sign(request: WantedRequest): Promise<SignedRequest>
  egress: Egress
  /** Certificates (PEM) of authorities to trust. */
  ca: string[]
  /** For messages. */
  names: Pick<FaultContext, 'host' | 'bucket' | 'region'>
  /** See `Options` of connection.ts. */
  limits: { attempts?: number; waitMs?: number; idleMs?: number }
}

export interface SignedStorage {
  /** Sends one request without retries. Any answer of the storage is a success. @throws StorageFault */
  reach(signal: AbortSignal): Promise<void>
  /** Sends a part of an upload, with retries. Returns its etag. @throws StorageFault */
  sendPart(part: Part, signal: AbortSignal): Promise<string>
  /** Reads the whole object. After a broken connection reading continues at the same position. @throws StorageFault */
  read(signal: AbortSignal): AsyncGenerator<Buffer>
  close(): void
}

interface Attempt {
  verb: Verb
  request: WantedRequest
  part?: Part
  signal: AbortSignal
}

/** The longest error message of a storage that is read. */
const maxErrorBytes = 64 * 1024

export function openSignedStorage(options: SignedStorageOptions): SignedStorage {
  const { egress, ca, names, limits } = options
  const { attempts, waitMs, idleMs } = { ...defaultLimits, ...limits }
  const agents: Agents = {
    'http:': egress.httpAgent({ keepAlive: true }),
    'https:': egress.httpsAgent({ keepAlive: true, ca }),
  }
  const contextOf = (verb: Verb): FaultContext => ({ ...names, verb, now: Date.now })
  const timeout = (verb: Verb) => timeoutFault(contextOf(verb), idleMs)
  const waitForRetry = retryWaits(attempts, waitMs)
  const faultFor = (error: unknown, verb: Verb) => faultOf(error, contextOf(verb))
  const send = senderOf(options, agents, idleMs, contextOf)

  /** Sends a request until it succeeds. @throws StorageFault, or the reason of the signal */
  async function ask(attempt: Attempt): Promise<IncomingMessage> {
    let since: number | undefined
    for (let count = 1; ; count++) {
      try {
        const answer = await send(attempt)
        if (isSuccess(answer)) return answer
        throw faultFor(await errorOf(answer, idleMs), attempt.verb)
      } catch (error) {
        if (!(error instanceof StorageFault)) throw error
        since ??= performance.now()
        await waitForRetry(error, { count, since }, attempt.signal)
      }
    }
  }

  async function open(at: number, etag: string | null, signal: AbortSignal): Promise<OpenedObject> {
    const body = await send({ verb: 'read', request: { do: 'read', at, etag }, signal })
    if (!isSuccess(body)) throw await errorOf(body, idleMs)
    const { headers } = body
    const sizeBytes = Number(headers['content-length'] ?? 0)
    return { body, sizeBytes, etag: headers.etag ?? null, range: headers['content-range'] ?? null }
  }

  const reader = { idleMs, waitForRetry, faultOf: faultFor, timeoutFault: timeout }
  return {
    async reach(signal) {
      const answer = await send({ verb: 'read', request: { do: 'head' }, signal })
      answer.resume()
    },
    async sendPart(part, signal) {
      const { number, sizeBytes, sha256 } = part
      const answer = await ask({ verb: 'write', request: { do: 'part', number, sizeBytes, sha256 }, part, signal })
      answer.resume()
      return answer.headers.etag ?? ''
    },
    read: (signal) => readObject(reader, (at, etag) => open(at, etag, signal), signal),
    close() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

/** Returns a function that makes one attempt. It throws StorageFault, or the reason of the signal. */
function senderOf(
  { sign }: SignedStorageOptions,
  agents: Agents,
  idleMs: number,
  contextOf: (verb: Verb) => FaultContext,
) {
  return async ({ verb, request, part, signal }: Attempt): Promise<IncomingMessage> => {
    const signed = await sign(request)
    signal.throwIfAborted()
    try {
      const timeout = () => timeoutFault(contextOf(verb), idleMs)
      return await exchange(agents, signed, { part, signal, idleMs, timeout })
    } catch (error) {
      signal.throwIfAborted()
      throw faultOf(error, contextOf(verb))
    }
  }
}

interface Agents {
  'http:': HttpAgent
  'https:': HttpsAgent
}

interface ExchangeOptions {
  part: Part | undefined
  signal: AbortSignal
  idleMs: number
  timeout(): StorageFault
}

/** Sends a request and its part. Resolves with the answer when its headers were received. */
function exchange(agents: Agents, signed: SignedRequest, options: ExchangeOptions): Promise<IncomingMessage> {
  const { part, signal, idleMs, timeout } = options
  const { protocol, hostname, port, method, path, headers } = signed
  const send = protocol === 'http:' ? httpRequest : httpsRequest
  const agent = protocol === 'http:' ? agents['http:'] : agents['https:']
  // The path is passed as text, because parsing a URL would change some keys.
  const target = { protocol, hostname: hostname.replace(/^\[|\]$/g, ''), ...(port === null ? {} : { port }), path }
  return new Promise((resolve, reject) => {
    const request = send({ ...target, method, headers, agent, signal })
    const timer = setTimeout(() => request.destroy(timeout()), idleMs)
    const touch = () => void timer.refresh()
    limitConnecting(request)
    request.once('close', () => clearTimeout(timer))
    answerOf(request).then((answer) => {
      // The reader of the body sets its own timeout.
      clearTimeout(timer)
      resolve(answer)
    }, reject)
    if (part === undefined || part.sizeBytes === 0) request.end()
    else pipeline(streamOf(part, touch), request, (error) => error && reject(error))
  })
}

/** Ends a request whose connection is not made in time. */
function limitConnecting(request: ClientRequest): void {
  request.once('socket', (socket) => {
    if (!socket.connecting) return
    const timer = setTimeout(
      () => request.destroy(Object.assign(new Error('No connection'), { code: 'ETIMEDOUT' })),
      connectMs,
    )
    socket.once('connect', () => clearTimeout(timer)).once('close', () => clearTimeout(timer))
  })
}

const isSuccess = ({ statusCode = 0 }: IncomingMessage) => statusCode >= 200 && statusCode < 300

/** Reads an error answer, in the form of the SDK's errors. If the storage stops sending, reads only the status. */
async function errorOf(answer: IncomingMessage, idleMs: number): Promise<object> {
  const timer = setTimeout(() => answer.destroy(new Error('The answer stopped')), idleMs)
  const body = await readWhole(answer, maxErrorBytes, 'The answer').then(String, () => '')
  clearTimeout(timer)
  const field = (name: string) => new RegExp(`<${name}>([^<]{1,100})</${name}>`).exec(body)?.[1]
  return {
    // A body that is not XML is no answer of a storage. faults.ts recognizes it by this name.
    name: field('Code') ?? (body === '' ? '' : 'Error'),
    message: field('Message') ?? '',
    Region: field('Region'),
    ServerTime: field('ServerTime'),
    $metadata: { httpStatusCode: answer.statusCode },
    $response: { headers: answer.headers },
  }
}
