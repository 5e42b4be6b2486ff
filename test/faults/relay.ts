/**
 * Stands between Berth and an engine, on a socket of its own, and does to each call what the test says. Every call of
 * Berth's has a connection of its own, so a connection is a call.
 */
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/**
 * stall: nothing is passed on until it is over, then all of it, as an engine that was paused would. slow: each call is
 * passed on after three seconds. cut: the answer breaks off in its middle. fail: 500. garbage: no HTTP. page: a page of
 * a web server that knows nothing of engines, with 200. hang up: without a word.
 */
export type Fault = 'stall' | 'slow' | 'cut' | 'fail' | 'garbage' | 'page' | 'hang up'

export const slowMs = 3000
/** Of an answer: all heads and the beginning of a body. */
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
    /** Calls that it befell. */
    hits: () => hits,
    /** From now on, to each call of those for which `hit` says so. */
    strew(next: Fault, hit: () => boolean) {
      ;[fault, isHit] = [next, hit]
    },
    /** From now on, to each call. What is open stands still, or is cut. */
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

  /** Resets are what this is for: each end sees its own. */
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

  /** To the engine, also for a caller that has given up by now: the engine has its call in its hands. */
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
