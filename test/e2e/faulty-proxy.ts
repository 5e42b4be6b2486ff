/** A line to a server on this machine that a test can cut, stall and slow, in the middle of whatever goes over it. */
import { createServer, connect, type Socket, type AddressInfo } from 'node:net'
import { once } from 'node:events'

export type Direction = 'up' | 'down'

/** When a connection is to end or to stand still: after so many of its bytes in one direction. */
interface Fault {
  does: 'cut' | 'stall'
  direction: Direction
  afterBytes: number
  times: number
}

export async function openFaultyProxy(port: number) {
  const open = new Set<Socket>()
  const faults: Fault[] = []
  const faultCounts = { cut: 0, stall: 0 }
  let bytesPerSecond = Infinity
  let sentBytes = 0
  const server = createServer((client) => {
    const far = connect(port, '127.0.0.1')
    const ends = [client, far]
    forward(client, far, 'up', ends)
    forward(far, client, 'down', ends)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    faultCounts,
    /** `times`: of so many connections; all of them without. */
    cut: (direction: Direction, afterBytes: number, times = Infinity) => add('cut', direction, afterBytes, times),
    stall: (direction: Direction, afterBytes: number, times = Infinity) => add('stall', direction, afterBytes, times),
    /** Of each connection and direction. */
    slow(rate: number) {
      bytesPerSecond = rate
      sentBytes = 0
    },
    /** Up, over all connections, since it was slowed. */
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
    // Resets are what this is for: each end sees its own.
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
      const fault = faults.find((it) => it.direction === direction && it.times > 0 && bytes > it.afterBytes)
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
