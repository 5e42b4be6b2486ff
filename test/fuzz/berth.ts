/**
 * The Berth that is fuzzed, a process with a port of its own: the remembering engine with three nodes and a service of
 * someone else's, a proxy that remembers, a registry on loopback, and one record of each sort. Says where it serves and
 * what there is; asked to end, what it answered and which defects it logged.
 */
import { memoryEngine } from '../engine/memory/engine.ts'
import { startBerth } from '../fixtures/harness.ts'
import { makeKnown } from '../sweep-berth.ts'
import type { Known } from '../sweep-inputs.ts'
import { startFakeRegistry } from '../fixtures/fake-registry.ts'
import { furnish } from './furnish.ts'
import { groundOf } from './ground.ts'
import type { Values } from './settings.ts'

/** What is known before a run: fields of records, and further good values by the names of fields. */
export interface Samples {
  url: string
  /** Of an administrator's session. */
  token: string
  known: Known
  more: Record<string, Values>
  /** Ids of records that are put back when a call removes them. */
  kept: string[]
}

/** `op` '': what is no operation. `defects`: errors of the log, whole. */
export interface Served {
  requests: { op: string; status: number }[]
  defects: string[]
}

process.once('disconnect', () => process.exit())

const progressMs = 10_000
const followMs = 500

/**
 * Errors in the log that are Berth's own. That a refusal had a cause, or that a backup, a move or a collection failed,
 * is none: here is no storage, and the remembering engine runs no tools.
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
const known = await makeKnown({ ...berth, registryUrl: registry.host })
const more = await furnish(berth, known)
const { token } = await berth.admin()
const ground = await groundOf(berth.app)
putBack = ground.putBack
// Of what this process asked itself, nothing counts.
berth.logged.length = 0
// Whoever follows a log is let go soon: the caller reads every answer to its end.
const { registerStream } = berth.app.engineQueries
berth.app.engineQueries.registerStream = (caller) =>
  registerStream(AbortSignal.any([caller, AbortSignal.timeout(followMs)]))
const url = await berth.listen()
const isRequest = ({ event }: { event: string }) => event === 'request'
setInterval(() => console.log(`${berth.logged.filter(isRequest).length} requests`), progressMs).unref()

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
process.send!({ url, token, known, more, kept: [...ground.ids] } satisfies Samples)
