/** The events of a fake API, with broken streams that a test cannot provoke in a real engine. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { engineOverFakeApi } from '../../../test/engine/engine-over-fake-api.ts'
import { EngineUnavailable } from '../engine.ts'
import type { EngineEvent } from '../engine.ts'

const started = {
  Type: 'container',
  Action: 'start',
  Actor: { Attributes: { name: 'db.1.x', 'com.docker.swarm.service.name': 'db' } },
}

test('assembles events from chunks of any size, and throws EngineUnavailable for a broken stream', async (t) => {
  const bytes = Buffer.from(`${JSON.stringify({ ...started, comment: 'ü' })}\n${JSON.stringify(started)}\n`)
  const splitAt = bytes.indexOf(Buffer.from('ü')) + 1
  const { engine } = await engineOverFakeApi(t, (_request, response) => {
    response.writeHead(200)
    response.write(bytes.subarray(0, splitAt), () => setImmediate(() => response.end(bytes.subarray(splitAt))))
    return undefined
  })
  const events: EngineEvent[] = []
  await assert.rejects(
    engine.watch((event) => events.push(event), new AbortController().signal),
    EngineUnavailable,
  )
  assert.deepEqual(events, [
    { serviceName: null, action: 'watching', isForeign: false },
    { serviceName: 'db', action: 'start', isForeign: true },
    { serviceName: 'db', action: 'start', isForeign: true },
  ])
})

test('ends an aborted watch without an error', async (t) => {
  const { engine } = await engineOverFakeApi(t, (_request, response) => {
    response.writeHead(200).flushHeaders()
    return undefined
  })
  const stop = new AbortController()
  await engine.watch(() => stop.abort(), stop.signal)
  await engine.watch(() => assert.fail('the signal was aborted before the call'), stop.signal)
})
