/** Clients that vanish, wait or are slow, on real connections. A client that reads nothing stands for one that vanished. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type ClientOptions, WebSocket, WebSocketServer } from 'ws'
import { channelOn } from './web-socket.ts'

const pingMs = 40
const kib = 1024
/** More than the buffers of a connection hold. */
const muchBytes = 24 * kib * kib

/** Connects a client with a channel. */
async function connect(t: TestContext, stalledMs: number, options: ClientOptions = {}) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
  t.after(() => server.close())
  await once(server, 'listening')
  const accepted = once(server, 'connection')
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, options)
  t.after(() => client.terminate())
  const [socket] = (await accepted) as [WebSocket]
  const channel = channelOn(socket, { pingMs, stalledMs })
  if (client.readyState !== client.OPEN) await once(client, 'open')
  const received = { bytes: 0 }
  client.on('message', (data: Buffer) => {
    received.bytes += data.length
  })
  const isOpen = () => !channel.ended.aborted && socket.readyState === socket.OPEN
  return { client, channel, received, isOpen }
}

/** Sends much output, as fast as the client takes it. */
async function sendMuch(channel: ReturnType<typeof channelOn>): Promise<void> {
  const piece = Buffer.alloc(64 * kib)
  for (let sent = 0; sent < muchBytes; sent += piece.length) await channel.send(piece)
}

/** Waits for the end, and fails if the connection stays open. @returns how long it took, in milliseconds */
async function endWithin(channel: ReturnType<typeof channelOn>, ms: number): Promise<number> {
  const startedAt = performance.now()
  if (!channel.ended.aborted) await once(channel.ended, 'abort', { signal: AbortSignal.timeout(ms) })
  return performance.now() - startedAt
}

test('ends the connection of a client that has vanished, also if output was under way', async (t) => {
  for (const bytes of [0, 1, 64 * kib]) {
    const { client, channel } = await connect(t, 3600_000)
    client.pause()
    if (bytes > 0) await channel.send(Buffer.alloc(bytes))
    await endWithin(channel, 5000)
  }
})

test('ends the connection of a client that has vanished while the program goes on to print a little', async (t) => {
  const { client, channel } = await connect(t, 3600_000)
  client.pause()
  const timer = setInterval(() => void channel.send(Buffer.from('a line\n')), 10)
  t.after(() => clearInterval(timer))
  await endWithin(channel, 5000)
})

test('waits for a client that stops to read, and ends its connection after the longer time', async (t) => {
  const { client, channel, received, isOpen } = await connect(t, 40 * pingMs)
  client.pause()
  const sent = sendMuch(channel)
  await pause(15 * pingMs)
  assert.ok(isOpen())
  client.resume()
  await sent
  while (received.bytes < muchBytes) await once(client, 'message')
  client.pause()
  void sendMuch(channel).catch(() => undefined)
  const tookMs = await endWithin(channel, 20_000)
  assert.ok(tookMs > 30 * pingMs, `the connection was ended after ${tookMs} ms`)
})

test('does not end the connection of a slow client that takes output now and then', async (t) => {
  // Without answers, because the pings of a much slower client arrive only after minutes.
  const { client, channel, received, isOpen } = await connect(t, 14 * pingMs, { autoPong: false })
  let wasOpen = true
  const sent = sendMuch(channel)
  // The buffers of the connection grow while the client is fast.
  while (received.bytes < muchBytes / 4) await once(client, 'message')
  // Each turn reads about 2 MiB of the 6 that wait in the connection.
  while (received.bytes < (muchBytes * 3) / 4 && wasOpen) {
    client.resume()
    await new Promise(setImmediate)
    client.pause()
    await pause(6 * pingMs)
    wasOpen = isOpen()
  }
  assert.ok(wasOpen, `the connection was ended after ${received.bytes} bytes`)
  client.resume()
  await sent
})

test('an answer to a ping says nothing about output that was sent after the ping', async (t) => {
  const { client, channel, isOpen } = await connect(t, 3600_000, { autoPong: false })
  const [data] = await once(client, 'ping')
  await channel.send(Buffer.alloc(200 * kib))
  client.pong(data)
  client.pause()
  await pause(15 * pingMs)
  assert.ok(isOpen())
})

test('waits for a client whose input the program does not take', async (t) => {
  const { client, channel, isOpen } = await connect(t, 3600_000)
  const { promise: taken, resolve: take } = Promise.withResolvers<void>()
  channel.receive({ bytes: () => taken, message: () => undefined })
  client.send(Buffer.from('input'))
  await pause(15 * pingMs)
  take()
  await pause(5 * pingMs)
  assert.ok(isOpen())
  client.pause()
  await endWithin(channel, 5000)
})
