/**
 * Sends requests to a registry or its token server, limited in time and size. Follows redirects on the same host only:
 * credentials must not be sent to another host, and a request to it without credentials would check nothing.
 */
import http from 'node:http'
import https from 'node:https'
import tls from 'node:tls'
import { type Egress, egressOf } from '../net/egress.ts'
import type { OutgoingProxy } from '../net/outgoing-proxy.ts'
import { loginFault } from '../net/proxy-fault.ts'
import { connectionFault, isPlain, namingProxy, notRegistry, RegistryFault, timeoutFault } from './faults.ts'

export interface Options {
  /** Decides which addresses requests may go to. Default: `egressOf([])`, which has no exceptions. */
  egress?: Egress
  /** The certificate (PEM) of an authority that is trusted in addition to the authorities that Node trusts. */
  ca?: string
  /** Accepts any certificate of the registry's host. Certificates of other hosts are verified. */
  insecure?: boolean
  /** The timeout of one call, with all its requests. Default: 10 s. */
  limitMs?: number
}

export interface Answer {
  status: number
  headers: http.IncomingHttpHeaders
  /** The URL after redirects. */
  url: URL
  body: string
}

/** With `form` the request is a POST, for which a redirect is an error. */
export interface RequestOptions {
  authorization?: string | undefined
  form?: URLSearchParams
}

export interface Connection extends Disposable {
  /** @throws RegistryFault, or the original error if the signal is aborted or the server speaks no TLS (`isPlain`) */
  ask(url: URL, signal: AbortSignal, requestOptions?: RequestOptions): Promise<Answer>
  /**
   * Runs `work` with the timeout of a call.
   * @throws RegistryFault, or the reason of `signal` if that is aborted
   */
  within<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T>
}

const limitMs = 10_000
const maxRedirects = 5
const maxBytes = 1024 * 1024

/** @param hostname the hostname of the registry, in the form of URL.hostname */
export function openConnection(hostname: string, options: Options): Connection {
  const ca = options.ca === undefined ? {} : { ca: [...tls.getCACertificates('default'), options.ca] }
  const egress = options.egress ?? egressOf([])
  const agents = {
    plain: egress.httpAgent({ keepAlive: true }),
    verifying: egress.httpsAgent({ keepAlive: true, ...ca }),
    registry: egress.httpsAgent({ keepAlive: true, rejectUnauthorized: options.insecure !== true, ...ca }),
  }
  const agentOf = (url: URL) => {
    if (url.protocol === 'http:') return agents.plain
    return url.hostname === hostname ? agents.registry : agents.verifying
  }
  let currentHost = hostname
  let currentProxy: OutgoingProxy | null = null

  const follow = async (url: URL, signal: AbortSignal, requestOptions: RequestOptions): Promise<Answer> => {
    for (let left = maxRedirects; ; left--) {
      currentHost = url.host
      currentProxy = egress.proxyOf(url)
      const response = await send(url, agentOf(url), signal, requestOptions)
      if (currentProxy !== null && response.statusCode === 407) {
        response.destroy()
        throw loginFault(currentProxy)
      }
      const next = nextOf(response, url, requestOptions)
      if (next === null) {
        const { statusCode: status = 0, headers } = response
        return { status, headers, url, body: await bodyOf(response, url) }
      }
      response.destroy()
      if (left === 0) throw new RegistryFault('redirected', `${url.host} redirects too many times. Check the address`)
      url = next
    }
  }

  return {
    ask: (url, signal, requestOptions = {}) =>
      follow(url, signal, requestOptions).catch((error: unknown) => {
        // The caller can retry by http.
        throw isPlain(error) || signal.aborted ? error : connectionFault(error, currentHost)
      }),
    async within(signal, work) {
      const timeout = AbortSignal.timeout(options.limitMs ?? limitMs)
      try {
        return await work(AbortSignal.any([signal, timeout]))
      } catch (error) {
        signal.throwIfAborted()
        const fault = timeout.aborted
          ? timeoutFault(currentHost, options.limitMs ?? limitMs)
          : connectionFault(error, currentHost)
        throw namingProxy(fault, currentProxy)
      }
    },
    [Symbol.dispose]() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

/** Whether credentials for `from` can be sent to `to`: to the same origin, or from http to https on the same host. */
export function canReceiveCredentials(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true
  return from.hostname === to.hostname && from.protocol === 'http:' && to.protocol === 'https:'
}

function send(
  url: URL,
  agent: http.Agent,
  signal: AbortSignal,
  { authorization, form }: RequestOptions,
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

/**
 * Returns the URL that an answer redirects to, or null if the answer is not a redirect.
 * @throws RegistryFault for a redirect that must not be followed
 */
function nextOf(response: http.IncomingMessage, url: URL, { authorization, form }: RequestOptions): URL | null {
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
  if (next === null || !/^https?:$/.test(next.protocol)) throw fault(`${url.host} redirects to an invalid URL`)
  if (url.protocol === 'https:' && next.protocol === 'http:') {
    throw fault(`${url.host} redirects from https to http. Configure the registry to use https in its own URLs`)
  }
  const isOtherHost = !canReceiveCredentials(url, next)
  if (form !== undefined || (isOtherHost && authorization !== undefined)) {
    throw fault(`${url.host} redirects the login to ${next.host}. Berth does not send the password to another host`)
  }
  if (isOtherHost) {
    throw fault(`${url.host} redirects to ${next.host}. If that is the registry, use it as the address`)
  }
  // Node would send a user in the URL as credentials.
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
      throw notRegistry(host, 'its answer is larger than 1 MiB')
    }
  }
  return Buffer.concat(chunks).toString()
}
