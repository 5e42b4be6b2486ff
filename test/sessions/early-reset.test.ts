/** A client whose connection breaks after the session has begun and before the handshake. */
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { until } from '../engine/until.ts'
import { open } from '../http/raw.ts'
import { subprotocol } from '../../src/sessions/protocol.ts'
import { startSessionBerth } from './session-berth.ts'
import { pathOf } from './session-client.ts'

test('frees the slot and records the end of a session whose client is gone before the handshake', async () => {
  await using berth = await startSessionBerth()
  const accepted: Socket[] = []
  const onSocket = (message: unknown) => void accepted.push((message as { socket: Socket }).socket)
  subscribe('net.server.socket', onSocket)
  const client = await open(berth.url)
  const { app } = berth
  const transact = app.transact
  // The first transaction after the slot was reserved records the begin.
  app.transact = async (work) => {
    if (app.sessions.figures().begun.client === 0) return transact(work)
    app.transact = transact
    const result = await transact(work)
    const server = accepted.find(({ remotePort }) => remotePort === client.localPort)!
    const closed = Promise.withResolvers<void>()
    server.once('close', () => closed.resolve())
    client.resetAndDestroy()
    await closed.promise
    return result
  }
  const headers = [
    ...[`GET ${pathOf({ databaseId: berth.databaseId })} HTTP/1.1`, 'Host: 127.0.0.1', 'Connection: Upgrade'],
    ...['Upgrade: websocket', 'Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`],
    ...[`Sec-WebSocket-Protocol: ${subprotocol}`, `Authorization: Bearer ${berth.admin}`],
  ]
  client.write(`${headers.join('\r\n')}\r\n\r\n`)
  const end = await until('the end', async () => (await berth.audit()).find(({ event }) => event === 'end'), 10_000)
  unsubscribe('net.server.socket', onSocket)
  assert.equal(end.reason, 'ClientGone')
  await until('the slot', async () => Object.values(app.sessions.figures().open).every((count) => count === 0))
  assert.equal(app.sessions.figures().begun.client, 1)
})
