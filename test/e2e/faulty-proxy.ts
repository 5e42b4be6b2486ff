/** A TCP proxy to a server on this machine that can reset, stall and slow its connections at a given byte. */
import { createServer, connect, type Socket, type AddressInfo } from 'node:net'
import { once } from 'node:events'

export type Direction = 'up' | 'down'

/** Resets or stalls a connection after it has transferred more than `afterBytes` in one direction. */
interface Fault {
  does: 'cut' | 'stall'
  direction: Direction
  afterBytes: number
  /** The number of connections that are still to be affected. */
  times: number
}

/** @param port the port of the server on 127.0.0.1 */
export async function openFaultyProxy(port: number) {
  const open = new Set<Socket>()
  const faults: Fault[] = []
  const faultCounts = { cut: 0, stall: 0 }
  let bytesPerSecond = Infinity
  let sentBytes = 0
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    const ends = [client, upstream]
    forward(client, upstream, 'up', ends)
    forward(upstream, client, 'down', ends)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    faultCounts,
    /** Resets connections. `times` is the number of affected connections; the default is all. */
    cut: (direction: Direction, afterBytes: number, times = Infinity) => add('cut', direction, afterBytes, times),
    stall: (direction: Direction, afterBytes: number, times = Infinity) => add('stall', direction, afterBytes, times),
    /** Limits the rate of each connection and direction, in bytes per second, and resets `sentBytes`. */
    slow(rate: number) {
      bytesPerSecond = rate
      sentBytes = 0
    },
    /** Returns the number of bytes from clients to the server since the last call of `slow`, over all connections. */
    sentBytes: () => sentBytes,
    heal() {
      faults.length = 0
      bytesPerSecond = Infinity
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }

  function add(does: Fault['does'], direction: Direction, afterBytes: number, times: number) {
    faults.push({ does, direction, afterBytes, times })
  }

  function forward(from: Socket, to: Socket, direction: Direction, ends: Socket[]) {
    let bytes = 0
    open.add(from)
    // Errors are expected here. Each peer observes the reset of its own connection.
    from
      .on('error', () => to.destroy())
      .on('close', () => {
        open.delete(from)
        to.destroy()
      })
    from.on('end', () => to.end())
    from.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (direction === 'up') sentBytes += chunk.length
      const fault = faults.find((one) => one.direction === direction && one.times > 0 && bytes > one.afterBytes)
      if (fault !== undefined) {
        fault.times--
        faultCounts[fault.does]++
        if (fault.does === 'cut') for (const end of ends) end.resetAndDestroy()
        else for (const end of ends) end.pause().removeAllListeners('data')
        return
      }
      if (to.destroyed || to.writableEnded) return
      const hasRoom = to.write(chunk)
      if (hasRoom && bytesPerSecond === Infinity) return
      from.pause()
      if (bytesPerSecond === Infinity) to.once('drain', () => from.resume())
      else setTimeout(() => from.resume(), (chunk.length / bytesPerSecond) * 1000)
    })
  }
}

export type FaultyProxy = Awaited<ReturnType<typeof openFaultyProxy>>
