/**
 * Requests to upgrade a connection to a WebSocket. Each is answered by its route like any other request, so that all
 * checks and refusals are the same. Only a route that accepts it takes over the socket.
 */
import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { refuseField } from '../../errors.ts'

/** How long a refused client has to read the answer and to close its side, in milliseconds. */
const lingerMs = 2000

export interface Upgrade {
  socket: Duplex
  /** The first bytes after the request. */
  head: Buffer
  /** Detaches the socket from the HTTP response. The caller answers on the socket from now on. */
  takeOver(): void
}

export interface Upgrades {
  /** Refuses with BAD_REQUEST if the request asks for no upgrade. */
  of(request: IncomingMessage): Upgrade
}

/** Whether to stop parsing HTTP on the connection of this request. @param paths those that answer a WebSocket */
export function isUpgrade({ method, url = '', headers }: IncomingMessage, paths: readonly string[]): boolean {
  const isWebSocket = method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
  return isWebSocket && paths.includes(url.split('?', 1)[0]!)
}

/** Passes the requests for an upgrade to the routes of the server. */
export function passUpgrades(server: FastifyInstance): Upgrades {
  const waiting = new WeakMap<IncomingMessage, Upgrade>()
  server.server.on('upgrade', (request, socket, head) => {
    // Without a listener, a connection that breaks would end Berth.
    socket.on('error', () => socket.destroy())
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket as never)
    // The server does not know this connection any more, so that a client could keep it open.
    const end = () => {
      socket.end()
      setTimeout(() => socket.destroy(), lingerMs).unref()
    }
    response.once('finish', end)
    const takeOver = () => {
      response.off('finish', end)
      response.detachSocket(socket as never)
    }
    waiting.set(request, { socket, head, takeOver })
    server.routing(request, response)
  })
  return { of: (request) => waiting.get(request) ?? refuseUpgrade('websocket: this operation is a WebSocket') }
}

const refuseUpgrade = (text: string): never => refuseField('Upgrade', `must be ${text}`)

/** Refuses a handshake with BAD_REQUEST that is not of RFC 6455, or does not name the subprotocol. */
export function checkHandshake({ headers }: IncomingMessage, subprotocol: string): void {
  if (headers['sec-websocket-version'] !== '13') refuseField('Sec-WebSocket-Version', 'must be 13')
  const key = headers['sec-websocket-key'] ?? ''
  if (!/^[+/0-9A-Za-z]{22}==$/.test(key)) refuseField('Sec-WebSocket-Key', 'must be 16 bytes in base64')
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())
  if (!offered.includes(subprotocol)) refuseField('Sec-WebSocket-Protocol', `must name ${subprotocol}`)
}
