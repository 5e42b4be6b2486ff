/** Opens connections by a proxy, and rewrites plain requests for it (RFC 9110 section 9.3.6, RFC 9112 section 3.2.2). */
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { OutgoingProxy, Target } from './outgoing-proxy.ts'
import { ProxyFault, proxyConnectionFault, tunnelFault } from './proxy-fault.ts'

/** Less than the timeouts of storages and registries for a connection, so that the message names the proxy. */
const openMs = 8000

/**
 * Opens a connection to the proxy, for plain requests.
 * @throws ProxyFault
 */
export const connectToProxy = (proxy: OutgoingProxy, target: Target): Promise<Socket> =>
  inTime(proxy, target, (signal) => openSocket(proxy, signal))

/**
 * Opens a connection to the target through the proxy, by CONNECT.
 * @throws ProxyFault
 */
export const openTunnel = (proxy: OutgoingProxy, target: Target): Promise<Socket> =>
  inTime(proxy, target, async (signal) => {
    const socket = await openSocket(proxy, signal)
    const { status, head } = await sendConnect(proxy, target, socket, signal)
    if (status < 200 || status > 299) {
      socket.destroy()
      throw tunnelFault(proxy, target, status)
    }
    if (head.length > 0) socket.unshift(head)
    return socket
  })

async function inTime<T>(proxy: OutgoingProxy, target: Target, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), openMs)
  try {
    return await work(timeout.signal)
  } catch (error) {
    if (timeout.signal.aborted) throw new ProxyFault(proxy, target, { code: 'timeout', ms: openMs })
    throw proxyConnectionFault(proxy, target, error)
  } finally {
    clearTimeout(timer)
  }
}

function openSocket({ isTls, hostname, port }: OutgoingProxy, signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const servername = isIP(hostname) === 0 ? { servername: hostname } : {}
  const socket = isTls
    ? connectTls({ host: hostname, port, ...servername }).once('secureConnect', opened)
    : connectPlain({ host: hostname, port, noDelay: true }).once('connect', opened)
  const abort = () => void socket.destroy(new Error('timeout'))
  signal.addEventListener('abort', abort)
  // The listener stays: between two owners, an error of the socket must not end the process.
  socket.on('error', reject)
  return promise

  function opened() {
    signal.removeEventListener('abort', abort)
    resolve(socket)
  }
}

function sendConnect(proxy: OutgoingProxy, target: Target, socket: Socket, signal: AbortSignal) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; head: Buffer }>()
  const authority = authorityOf(target)
  const sent = request({
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...authorizationOf(proxy) },
    createConnection: () => socket,
  })
  const abort = () => void sent.destroy(new Error('timeout'))
  signal.addEventListener('abort', abort)
  sent
    .on('connect', ({ statusCode: status = 0 }: IncomingMessage, _socket: Socket, head: Buffer) => {
      signal.removeEventListener('abort', abort)
      resolve({ status, head })
    })
    .on('error', reject)
    .end()
  return promise
}

/** Makes a request, which was not sent yet, one for the proxy: with the whole URL as its target. */
export function addressToProxy(sent: ClientRequest, proxy: OutgoingProxy, target: Target): void {
  sent.path = `http://${authorityOf(target)}${sent.path}`
  for (const [name, value] of Object.entries(authorizationOf(proxy))) sent.setHeader(name, value)
}

const authorizationOf = ({ authorization }: OutgoingProxy): Record<string, string> =>
  authorization === null ? {} : { 'proxy-authorization': authorization }

const authorityOf = ({ host, port }: Target): string => `${host.includes(':') ? `[${host}]` : host}:${port}`
