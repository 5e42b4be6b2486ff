/**
 * The process with the Berth that is fuzzed. Berth runs on the in-memory engine with three nodes and a service that is
 * not Berth's, with a fake proxy, a registry on loopback, and one record of each type. At its start the process sends
 * `Samples`. At the message `end` it stops Berth and sends `Served`.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { PassThrough, Readable } from 'node:stream'
import { memoryEngine } from '../engine/memory/engine.ts'
import { startBerth } from '../fixtures/harness.ts'
import { makeKnown } from '../sweep-berth.ts'
import type { Known } from '../sweep-inputs.ts'
import { startFakeRegistry } from '../fixtures/fake-registry.ts'
import { addRecords } from './add-records.ts'
import { recordRestorer } from './restore-records.ts'
import type { Values } from './settings.ts'

/** The data that exists before a run: the values of fields of records, and more valid values by the names of fields. */
export interface Samples {
  url: string
  /** The token of an administrator's session. */
  token: string
  known: Known
  more: Record<string, Values>
  /** Ids of records that are restored when a call removes them. */
  kept: string[]
}

/** `op` is '' for a request to no operation. `defects` are complete log entries. */
export interface Served {
  requests: { op: string; status: number }[]
  defects: string[]
}

process.once('disconnect', () => process.exit())

const progressMs = 10_000
const followMs = 500

/**
 * Log events that are defects of Berth. A refusal with a cause, and a failed backup, move or garbage collection are not
 * defects: there is no storage here, and the in-memory engine runs no tools.
 */
const isDefect = /^(?:defect|crash|a loop failed|a step failed)$|could not be/

const registry = await startFakeRegistry()
const berth = await startBerth({
  connect(id) {
    const engine = memoryEngine(id, () => new Date())
    for (const name of ['node2', 'node3']) engine.addNode(name, { labels: { disk: 'ssd' } })
    engine.putForeign('shop', { onNetwork: true, labels: { 'berth.host': 'shop.example.org', 'berth.port': '80' } })
    return engine
  },
})
let putBack = async (): Promise<void> => {}
berth.server.addHook('onRequest', () => putBack())
let becomePage = (_headers: IncomingHttpHeaders): void => {}
berth.server.addHook('onRequest', async ({ raw }) => becomePage(raw.headers))
// Events end soon, because schemathesis reads every answer to its end.
berth.server.addHook('onSend', async (request, _reply, payload) =>
  request.op === 'events' && payload instanceof Readable ? endingSoon(payload) : payload,
)
const known = await makeKnown({ ...berth, registryUrl: registry.host })
const more = await addRecords(berth, known)
const { token } = await berth.admin()
becomePage = pageMaker(token)
const restorer = await recordRestorer(berth.app)
putBack = restorer.putBack
// Calls of this process do not count.
berth.logged.length = 0
// Followed logs end soon, because schemathesis reads every answer to its end.
const { registerStream } = berth.app.engineQueries
berth.app.engineQueries.registerStream = (caller) =>
  registerStream(AbortSignal.any([caller, AbortSignal.timeout(followMs)]))
const url = await berth.listen()
const isRequest = ({ event }: { event: string }) => event === 'request'
setInterval(() => console.log(`${berth.logged.filter(isRequest).length} requests`), progressMs).unref()

/**
 * Makes every second call with the token one of a page of Berth, with the session in a cookie. schemathesis cannot send
 * both, because it checks that calls without the token are refused.
 */
function pageMaker(token: string) {
  let callCount = 0
  return (headers: IncomingHttpHeaders): void => {
    if (headers.authorization !== `Bearer ${token}` || ++callCount % 2 === 0) return
    delete headers.authorization
    headers.cookie = `berth=${token}`
    headers.origin = `http://${headers.host}`
  }
}

/** The beginning of a stream. Unlike a broken connection, its end is a complete answer. */
function endingSoon(stream: Readable): Readable {
  const beginning = new PassThrough()
  stream.pipe(beginning)
  setTimeout(() => {
    stream.unpipe(beginning)
    stream.destroy()
    beginning.end()
  }, followMs)
  return beginning
}

process.once('message', async () => {
  await berth.close()
  await registry[Symbol.asyncDispose]()
  const requests = berth.logged
    .filter(isRequest)
    .map(({ fields }) => ({ op: String(fields.op), status: Number(fields.status) }))
  const defects = berth.logged
    .filter(({ level, event }) => level === 'error' && isDefect.test(event))
    .map((it) => JSON.stringify(it))
  process.send!({ requests, defects } satisfies Served)
})
process.send!({ url, token, known, more, kept: [...restorer.ids] } satisfies Samples)
