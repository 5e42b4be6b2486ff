/** The connection of a session, against a small WebSocket server. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { WebSocket, WebSocketServer } from 'ws'
import { connectSession, type SessionOutput } from '../../cli/sessions/connection.ts'
import { CommandError } from '../../cli/exit.ts'

/** Opens a session. @returns the connection and its other end */
async function openSession(t: TestContext, output: Partial<SessionOutput> = {}) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
  t.after(() => server.close())
  await once(server, 'listening')
  const connected = once(server, 'connection') as Promise<[WebSocket]>
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const connection = await connectSession(
    { url, token: 'token' },
    { databaseId: 'orders', mode: 'dump' },
    { bytes: async () => undefined, errors: async () => undefined, ...output },
  )
  const [other] = await connected
  t.after(() => other.terminate())
  return { connection, other }
}

/** Passes time in steps, as it passes for a process that is not blocked. */
function passTime(t: TestContext, ms: number): void {
  for (let passedMs = 0; passedMs < ms; passedMs += 1000) t.mock.timers.tick(1000)
}

test('a session outlives an output that blocks for a long time', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const paused = Promise.withResolvers<void>()
  const { pause } = WebSocket.prototype
  t.mock.method(WebSocket.prototype, 'pause', function (this: WebSocket) {
    pause.call(this)
    paused.resolve()
  })
  const released = Promise.withResolvers<void>()
  let bytes = 0
  const { connection, other } = await openSession(t, {
    async bytes({ length }) {
      bytes += length
      await released.promise
    },
  })
  const mebibyte = 1024 * 1024
  for (let i = 0; i < 4; i += 1) other.send(Buffer.alloc(mebibyte))
  other.send(JSON.stringify({ type: 'ended', exitCode: 0 }))
  await paused.promise
  passTime(t, 300_000)
  released.resolve()
  assert.deepEqual([await connection.ended, bytes], [0, 4 * mebibyte])
})

test('a session ends if nothing arrives although it reads', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { connection, other } = await openSession(t)
  for (let i = 0; i < 2; i += 1) {
    passTime(t, 90_000)
    other.ping()
    await once(other, 'pong')
  }
  passTime(t, 95_000)
  await assert.rejects(connection.ended, { code: 'CONNECTION_LOST', message: /nothing has arrived for 95 s/ })
})

test('a session whose output cannot be written ends with this error', async (t) => {
  const { connection, other } = await openSession(t, {
    async bytes() {
      throw new CommandError('failed', 'The disk is full')
    },
  })
  other.send(Buffer.from('x'))
  other.send(JSON.stringify({ type: 'ended', exitCode: 0 }))
  await assert.rejects(connection.ended, { message: 'The disk is full' })
})

test('a session ends only when its errors were written', async (t) => {
  const order: string[] = []
  const { connection, other } = await openSession(t, {
    async errors(text) {
      await new Promise(setImmediate)
      order.push(text)
    },
  })
  other.send(JSON.stringify({ type: 'stderr', text: 'a warning' }))
  other.send(JSON.stringify({ type: 'ended', exitCode: 3 }))
  order.push(String(await connection.ended))
  assert.deepEqual(order, ['a warning', '3'])
})
