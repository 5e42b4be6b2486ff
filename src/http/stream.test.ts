import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { disconnectSignal } from './stream.ts'

test('a client that disconnects aborts the signal, also before the signal exists', async () => {
  await using server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  for (const isEarly of [true, false]) {
    const requested = once(server, 'request')
    const client = connect(port, '127.0.0.1')
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    const [, response] = (await requested) as [unknown, ServerResponse]
    const closed = once(response, 'close')
    const before = isEarly ? null : disconnectSignal(response)
    assert.notEqual(before?.aborted, true)
    client.resetAndDestroy()
    await closed
    assert.equal((before ?? disconnectSignal(response)).aborted, true)
  }
})
