/**
 * The unix socket on which Berth listens for its own proxy, besides the TCP port. Only Berth and the proxy can open the
 * socket, so the server believes what the proxy reports about clients.
 */
import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import type { IncomingMessage, Server as HttpServer } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { dirname } from 'node:path'

export interface ProxyListener {
  /**
   * Listens on a path. Replaces the socket that a killed process left there.
   * @throws an Error that says what to do if the path is too long; otherwise errors of listen(2)
   */
  listen(path: string): Promise<void>
  /** Whether the request came over this socket. */
  isFrom(request: Pick<IncomingMessage, 'socket'>): boolean
  /** Accepts no more connections. Resolves when the open ones have ended. */
  close(): Promise<void>
}

/** Maximum length of the path of a unix socket in bytes. Source: unix(7). */
const maxSocketLength = 107
const advice = 'Move the data folder to a shorter path, or unset BERTH_PUBLIC_URL'

/** @param server handles the connections, with its own limits and timeouts */
export function proxyListener(
  server: HttpServer,
  maxConnections: number,
  onError: (error: Error) => void,
): ProxyListener {
  const sockets = new WeakSet<Socket>()
  const listener = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket)
    server.emit('connection', socket)
  })
  listener.maxConnections = maxConnections
  // A connection that cannot be accepted, because too many files are open, must not end Berth.
  listener.on('error', onError)
  return {
    async listen(path) {
      const excess = Buffer.byteLength(path) - maxSocketLength
      if (excess > 0)
        throw new Error(`The path of BERTH_DATA is ${excess} bytes too long for BERTH_PUBLIC_URL. ${advice}`)
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      rmSync(path, { force: true })
      listener.listen(path)
      await once(listener, 'listening')
    },
    isFrom: ({ socket }) => sockets.has(socket),
    async close() {
      if (!listener.listening) return
      const closed = once(listener, 'close')
      listener.close()
      await closed
    },
  }
}
