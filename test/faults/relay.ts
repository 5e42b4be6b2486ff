/**
 * Relays connections between Berth and an engine, and injects faults. Berth opens a connection for each call, so one
 * connection is one call.
 */
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/**
 * stall: the relay holds back all data until the fault ends, as a paused engine does. slow: each call is relayed after
 * three seconds. cut: the connection breaks in the middle of the answer. fail: status 500. garbage: random bytes instead
 * of HTTP. page: status 200 with an HTML page of a web server. hang up: the connection is closed without an answer.
 */
export type Fault = 'stall' | 'slow' | 'cut' | 'fail' | 'garbage' | 'page' | 'hang up'

export const slowMs = 3000
/** More than the headers of an answer, and less than its body. */
const cutAfterBytes = 300

const answers: Partial<Record<Fault, string | Buffer>> = {
  fail:
    'HTTP/1.1 500 Internal Server Error\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n' +
    '{"message":"rpc error: code = Unknown desc = something broke"}',
  page: 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<html><body>It works!</body></html>',
  garbage: Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 7919) % 256)),
  'hang up': '',
}

export type Relay = Awaited<ReturnType<typeof openRelay>>

let count = 0

export async function openRelay(t: Pick<TestContext, 'after'>, socketPath: string) {
  const path = join(tmpdir(), `berth-relay-${process.pid}-${++count}.sock`)
  const open = new Set<Socket>()
  let fault: Fault | null = null
  let isHit: () => boolean = () => true
  let hits = 0
  let release: () => void = () => undefined
  const server = createServer({ allowHalfOpen: true }, (client) => {
    keep(client)
    client.once('data', (first: Buffer) => {
      client.pause()
      take(client, first)
    })
  })
  server.listen(path)
  await once(server, 'listening')
  t.after(async () => {
    for (const socket of open) socket.destroy()
    server.close()
    await once(server, 'close')
    rmSync(path, { force: true })
  })
  return {
    dockerHost: `unix://${path}`,
    /** The number of calls with a fault. */
    hits: () => hits,
    /** Injects the fault into each call for which `hit` returns true. */
    setSome(next: Fault, hit: () => boolean) {
      ;[fault, isHit] = [next, hit]
    },
    /** Injects the fault into each call. Open connections stall or are closed. */
    set(next: Fault) {
      ;[fault, isHit, hits] = [next, () => true, 0]
      if (next === 'stall') for (const socket of open) socket.pause()
      else for (const socket of open) socket.destroy()
    },
    heal() {
      fault = null
      for (const socket of open) socket.resume()
      release()
      release = () => undefined
    },
  }

  /** Ignores connection resets: faults cause them, and each side handles its own. */
  function keep(socket: Socket) {
    open.add(socket.on('error', () => undefined).on('close', () => open.delete(socket)))
  }

  function take(client: Socket, first: Buffer) {
    if (fault === null || !isHit()) return pass(client, first, Infinity)
    hits++
    const answer = answers[fault]
    if (answer !== undefined) return void client.end(answer)
    if (fault === 'slow') return void setTimeout(() => pass(client, first, Infinity), slowMs)
    if (fault === 'cut') return pass(client, first, cutAfterBytes)
    const before = release
    release = () => {
      before()
      pass(client, first, Infinity)
    }
  }

  /** Relays the call to the engine, even if the caller has disconnected: an engine would execute such a call too. */
  function pass(client: Socket, first: Buffer, maxBytes: number) {
    const far = connect({ path: socketPath, allowHalfOpen: true })
    let bytes = 0
    keep(far)
    far.write(first)
    client
      .on('data', (chunk: Buffer) => far.write(chunk))
      .on('end', () => far.end())
      .on('close', () => far.end())
      .resume()
    far
      .on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (client.destroyed) return
        const rest = chunk.subarray(0, Math.max(0, chunk.length - Math.max(0, bytes - maxBytes)))
        client.write(rest, () => {
          if (bytes > maxBytes) client.destroy()
        })
      })
      .on('end', () => client.end())
      .on('close', () => client.destroy())
  }
}
