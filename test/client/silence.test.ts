/** The client connects again if a stream of events stays open and sends nothing, as after the loss of a machine. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createClient } from '../../client/client.ts'

/** Sends a position to each connection, and the second one an event. */
async function startSilentServer(t: { after(close: () => void): void }) {
  const positions: (string | undefined)[] = []
  const server = createServer((request, response) => {
    positions.push(request.headers['last-event-id'] as string | undefined)
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 1000\nid: 7\n\n')
    if (positions.length === 2) response.write('id: 8\ndata: {"id":"8","kind":"project"}\n\n')
  })
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, positions }
}

test('connects again with its position after 45 seconds of silence', async (t) => {
  const { url, positions } = await startSilentServer(t)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const connected = Promise.withResolvers<void>()
  const lost = Promise.withResolvers<void>()
  const onConnection = (isConnected: boolean) => (isConnected ? connected : lost).resolve()
  const events = createClient({ url, token: 'any' }).events({}, { onConnection })
  const first = events.next()
  await connected.promise
  // The client starts its timer in the same turn in which it reports the connection.
  await new Promise(setImmediate)
  t.mock.timers.tick(44_999)
  assert.equal(positions.length, 1)
  t.mock.timers.tick(1)
  await lost.promise
  await new Promise(setImmediate)
  t.mock.timers.tick(1000)
  assert.deepEqual((await first).value, { type: 'change', id: '8', kind: 'project' })
  assert.deepEqual(positions, [undefined, '7'])
  await events.return()
})
