/** A client that does not read is disconnected, and little is buffered for it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { test } from 'node:test'
import Fastify from 'fastify'
import { addEvents } from '../../src/http/events.ts'
import { newestEvent } from '../../src/events/queries.ts'
import { startBerth, type Berth } from '../fixtures/harness.ts'
import { until } from '../engine/until.ts'
import { open } from '../http/raw.ts'
import { openStream } from './stream.ts'
import { toJson } from '../../src/lib/json.ts'

const projects = 1000
/** More than the buffers of the operating system for a connection can hold. */
const changes = 80_000
const maxBuffered = 512 * 1024

/** Serves the events with short times. Returns the URL and the server's side of each connection. */
async function serve({ app }: Berth) {
  const server = Fastify()
  const sockets: Socket[] = []
  server.decorate('closing', { begun: false })
  server.decorateRequest('client', { getter: () => ({ address: '127.0.0.1', isEncrypted: false }) })
  server.server.on('connection', (socket) => sockets.push(socket))
  addEvents(server, app, { checkMs: 50, stallMs: 1000 })
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, sockets, [Symbol.asyncDispose]: () => server.close() }
}

async function insertProjects({ app }: Berth) {
  const createdAt = app.now().toISOString()
  await app.transact(async (tx) => {
    for (let index = 0; index < projects; index++) {
      await tx
        .insertInto('project')
        .values({
          id: `p${index}`,
          name: `${index} `.padEnd(200, 'x'),
          description: null,
          allowedSources: toJson([]),
          createdAt,
        })
        .execute()
    }
  })
}

/** Each statement changes all projects, so it causes an event for each of them. */
async function makeChanges({ app }: Berth, eachRound: () => void) {
  for (let round = 0; round < changes / projects; round++) {
    await app.transact((tx) =>
      tx
        .updateTable('project')
        .set({ description: String(round) })
        .execute(),
    )
    eachRound()
  }
}

test('disconnects a client that does not read, and buffers little for it', async () => {
  await using berth = await startBerth()
  await using served = await serve(berth)
  const { token } = await berth.admin()
  await insertProjects(berth)
  await using reader = await openStream(served.url, token, 'kind=project')
  const start = Number(reader.position())
  const slow = await open(served.url)
  slow.pause().on('error', () => undefined)
  slow.write(`GET /api/events HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n\r\n`)
  await until('both streams', async () => berth.app.events.figures().open === 2)
  const socket = served.sockets[1]!
  let maxWaiting = 0
  await makeChanges(berth, () => {
    maxWaiting = Math.max(maxWaiting, socket.writableLength)
  })
  if (!socket.closed) await once(socket, 'close')
  assert.ok(maxWaiting < maxBuffered, `${maxWaiting} bytes waited for the client`)
  assert.equal(berth.app.events.figures().ended.slowReader, 1)
  const newest = await newestEvent(berth.app.db)
  assert.ok(newest >= start + changes)
  // The client that reads gets every event, in order.
  await until('the last event', async () => Number(reader.position()) >= newest)
  const ids = reader.changes().map(({ id }) => Number(id))
  assert.deepEqual(
    ids,
    Array.from({ length: changes }, (_, index) => start + 1 + index),
  )
  slow.destroy()
})
