/**
 * One request to a registry or its token server: bounded in time and size, and redirects followed on the host that was
 * asked alone: elsewhere its credentials may not go, and an answer without them proves nothing. Does not know what is
 * asked.
 */
import http from 'node:http'
import https from 'node:https'
import tls from 'node:tls'
import { type Egress, egressOf } from '../net/egress.ts'
import { faultOfLine, isPlain, notRegistry, RegistryFault, silence } from './faults.ts'

export interface Options {
  /** Where requests may go; without, nowhere that needs an exception. */
  egress?: Egress
  /** PEM of an authority that is trusted beside those that this machine knows. */
  ca?: string
  /** Takes any certificate of the registry itself; none of another host's. */
  insecure?: boolean
  /** Of everything that one call does. */
  limitMs?: number
}

export interface Answer {
  status: number
  headers: http.IncomingHttpHeaders
  /** Where it came from, after the redirects. */
  url: URL
  body: string
}

/** A form makes it a POST, which is never redirected. */
export interface Asked {
  authorization?: string | undefined
  form?: URLSearchParams
}

export interface Line extends Disposable {
  ask(url: URL, signal: AbortSignal, asked?: Asked): Promise<Answer>
  /** Runs it within the limit. Throws a RegistryFault, or the signal's reason where that is aborted. */
  within<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>
}

const limitMs = 10_000
const maxRedirects = 5
const maxBytes = 1024 * 1024

/** `hostname` is the registry's, as URL has it. */
export function openLine(hostname: string, options: Options): Line {
  const ca = options.ca === undefined ? {} : { ca: [...tls.getCACertificates('default'), options.ca] }
  const egress = options.egress ?? egressOf([])
  const agents = {
    plain: egress.httpAgent({ keepAlive: true }),
    careful: egress.httpsAgent({ keepAlive: true, ...ca }),
    careless: egress.httpsAgent({ keepAlive: true, rejectUnauthorized: options.insecure !== true, ...ca }),
  }
  const agentOf = (url: URL) => {
    if (url.protocol === 'http:') return agents.plain
    return url.hostname === hostname ? agents.careless : agents.careful
  }
  let asking = hostname

  const follow = async (url: URL, signal: AbortSignal, asked: Asked): Promise<Answer> => {
    for (let left = maxRedirects; ; left--) {
      asking = url.host
      const response = await send(url, agentOf(url), signal, asked)
      const next = nextOf(response, url, asked)
      if (next === null) {
        const { statusCode: status = 0, headers } = response
        return { status, headers, url, body: await bodyOf(response, url) }
      }
      response.destroy()
      if (left === 0) throw new RegistryFault('redirected', `${url.host} sends requests on and on. Check the address`)
      url = next
    }
  }

  return {
    ask: (url, signal, asked = {}) =>
      follow(url, signal, asked).catch((error: unknown) => {
        // Who asks may go on by http.
        throw isPlain(error) || signal.aborted ? error : faultOfLine(error, asking)
      }),
    async within(signal, work) {
      const late = AbortSignal.timeout(options.limitMs ?? limitMs)
      try {
        return await work(AbortSignal.any([signal, late]))
      } catch (error) {
        signal.throwIfAborted()
        throw late.aborted ? silence(asking, options.limitMs ?? limitMs) : faultOfLine(error, asking)
      }
    },
    [Symbol.dispose]() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

/** Only who sends them is to know credentials: the same origin, or the same host by TLS. */
export function mayKnow(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true
  return from.hostname === to.hostname && from.protocol === 'http:' && to.protocol === 'https:'
}

function send(
  url: URL,
  agent: http.Agent,
  signal: AbortSignal,
  { authorization, form }: Asked,
): Promise<http.IncomingMessage> {
  const body = form?.toString() ?? ''
  const headers = {
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': 'berth',
    ...(authorization === undefined ? {} : { authorization }),
    ...(form && { 'content-type': 'application/x-www-form-urlencoded', 'content-length': Buffer.byteLength(body) }),
  }
  const { request } = url.protocol === 'http:' ? http : https
  return new Promise((resolve, reject) => {
    request(url, { method: form ? 'POST' : 'GET', agent, signal, headers })
      .on('response', resolve)
      .on('error', reject)
      .end(body)
  })
}

/** Where an answer sends on to; null: it is the answer itself. */
function nextOf(response: http.IncomingMessage, url: URL, { authorization, form }: Asked): URL | null {
  const {
    statusCode: status = 0,
    headers: { location },
  } = response
  if (location === undefined || ![301, 302, 303, 307, 308].includes(status)) return null
  const next = URL.parse(location, url)
  const fault = (text: string) => {
    response.destroy()
    return new RegistryFault('redirected', text)
  }
  if (next === null || !/^https?:$/.test(next.protocol)) throw fault(`${url.host} sends requests on to no URL`)
  if (url.protocol === 'https:' && next.protocol === 'http:') {
    throw fault(`${url.host} sends requests on from https to http. Set the registry up to speak of itself as https`)
  }
  const isRemote = !mayKnow(url, next)
  if (form !== undefined || (isRemote && authorization !== undefined)) {
    throw fault(`${url.host} sends a login on to ${next.host}, where the password is not sent after it`)
  }
  if (isRemote) {
    throw fault(`${url.host} sends requests on to ${next.host}. If that is the registry, write it as the address`)
  }
  // A user in it would be sent as credentials.
  next.username = next.password = next.hash = ''
  return next
}

async function bodyOf(response: http.IncomingMessage, { host }: URL): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > maxBytes) {
      response.destroy()
      throw notRegistry(host, 'its answer goes on for more than a mebibyte')
    }
  }
  return Buffer.concat(chunks).toString()
}
