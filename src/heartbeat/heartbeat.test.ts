/** Heartbeats to a local server: when they are sent, and what the log says when they are not. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { memoryEngine } from '../../test/engine/memory/engine.ts'
import { type LoggedLine, fakeLog } from '../../test/fixtures/fake-log.ts'
import { temporaryFolder } from '../../test/fixtures/folder.ts'
import { startTestBerth } from '../../test/fixtures/test-berth.ts'
import { until } from '../../test/engine/until.ts'
import { parseConfig } from '../config.ts'
import type { LoopFigures } from '../lib/async/loop.ts'
import { prometheusText } from '../lib/prometheus.ts'
import { setMeta } from '../store/meta.ts'
import type { Schema } from '../store/schema.ts'
import { openStore } from '../store/sqlite/open.ts'
import { heartbeatFamilies, heartbeatOf } from './heartbeat.ts'

const now = () => new Date('2030-01-01T00:00:05.500Z')
const stopping = new AbortController().signal

/** A server that counts calls. `answer.status` can be changed. */
async function receiverFor(t: TestContext) {
  const answer = { status: 200, calls: 0 }
  const server = createServer((_request, response) => {
    answer.calls++
    response.writeHead(answer.status).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-path`
  return { answer, url }
}

async function begin(t: TestContext) {
  const { answer, url } = await receiverFor(t)
  const store = await openStore(temporaryFolder(t))
  t.after(() => store.close())
  const engine = memoryEngine('mine', now)
  const figures: LoopFigures[] = [{ name: 'watch', periodMs: 1000, failures: 0, lastTurn: { tookMs: 1, agoMs: 1 } }]
  const lines: LoggedLine[] = []
  const runtime = { config: parseConfig({ BERTH_HEARTBEAT_URL: url }), engine, log: fakeLog(lines), now }
  const heartbeat = heartbeatOf({ ...runtime, transact: store.transact }, () => figures)
  const reasons = () => lines.map(({ level, fields }) => [level, fields.reason])
  return { answer, store, engine, figures, lines, reasons, heartbeat, turn: () => heartbeat.loop.turn(stopping) }
}

test('calls the URL at each turn while everything works, and logs nothing', async (t) => {
  const { answer, lines, heartbeat, turn } = await begin(t)
  assert.deepEqual([await turn(), await turn()], ['idle', 'idle'])
  assert.equal(answer.calls, 2)
  assert.deepEqual(lines, [])
  assert.match(prometheusText(heartbeatFamilies(heartbeat.lastSuccess())), /_timestamp_seconds 1893456005\n$/)
})

test('does not call while a loop is late, names it once, and repeats soon until the first call', async (t) => {
  const { answer, figures, lines, heartbeat, reasons, turn } = await begin(t)
  figures.push({ name: 'heartbeat', periodMs: 60_000, failures: 0, lastTurn: null })
  figures.push({ name: 'nodes', periodMs: 5000, failures: 0, lastTurn: null })
  assert.deepEqual([await turn(), await turn()], ['again', 'again'])
  assert.deepEqual([answer.calls, lines.length, lines[0]!.fields.loops], [0, 1, 'nodes'])
  assert.match(prometheusText(heartbeatFamilies(heartbeat.lastSuccess())), /_timestamp_seconds 0\n$/)
  figures.pop()
  assert.equal(await turn(), 'idle')
  assert.equal(answer.calls, 1)
  assert.deepEqual(reasons(), [
    ['warn', 'LoopsLate'],
    ['info', undefined],
  ])
})

test('does not call while the engine does not answer', async (t) => {
  const { answer, engine, reasons, turn } = await begin(t)
  engine.setDown(true)
  await turn()
  assert.deepEqual([answer.calls, reasons()], [0, [['warn', 'EngineUnavailable']]])
})

test('does not call if the store takes no writes', async (t) => {
  const { answer, store, reasons, turn } = await begin(t)
  const refuse = sql`create trigger "refuse" before update on "meta" begin select raise(abort, 'no writes'); end`
  await store.transact(async (tx) => {
    await setMeta(tx, 'installationId', 'mine')
    await refuse.execute(tx as Kysely<Schema>)
  })
  await turn()
  assert.deepEqual([answer.calls, reasons()], [0, [['warn', 'StoreFailed']]])
})

test('logs a refused call without the URL', async (t) => {
  const { answer, lines, reasons, turn } = await begin(t)
  answer.status = 500
  await turn()
  assert.deepEqual([answer.calls, reasons()], [1, [['warn', 'CallFailed']]])
  assert.match(JSON.stringify(lines), /HTTP status 500/)
  assert.doesNotMatch(JSON.stringify(lines), /secret-path|127\.0\.0\.1/)
})

test('Berth sends heartbeats after the first turns of its loops, and /metrics has the time', async (t) => {
  const { answer, url } = await receiverFor(t)
  await using berth = await startTestBerth({ BERTH_HEARTBEAT_URL: url })
  await until('the first heartbeat', async () => {
    berth.app.wake('heartbeat')
    return answer.calls > 0
  })
  const text = await until('the metric', async () => {
    const metrics = await berth.app.metrics()
    return /berth_heartbeat_last_success_timestamp_seconds [1-9]/.test(metrics) && metrics
  })
  assert.doesNotMatch(text, /secret-path/)
})

test('without a URL the metric has no value', async () => {
  await using berth = await startTestBerth()
  assert.doesNotMatch(await berth.app.metrics(), /^berth_heartbeat/m)
})
