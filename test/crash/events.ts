/** A subscriber to the events of a Berth that is killed: it resumes with the id of the last event after each kill. */
import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { type Change, createClient } from '../../client/client.ts'
import { until } from '../engine/until.ts'
import { compareData } from '../fixtures/compare-data.ts'
import { rowsOf } from './store.ts'

/** The columns of an event that the subscriber compares. */
interface EventRow {
  seq: number
  kind: string
  recordId: string
  change: string
  data: unknown
}

export type Subscriber = Awaited<ReturnType<typeof subscribe>>

/**
 * Subscribes to all events. When the promise resolves, the subscriber gets every later change.
 * @param token a token of an administrator, which stays valid
 * @param folder Berth's data folder
 */
export async function subscribe(base: string, token: string, folder: string) {
  const [first] = rowsOf<{ seq: number }>(folder, 'select coalesce(max(seq), 0) as seq from event')
  const abort = new AbortController()
  const connected = Promise.withResolvers<void>()
  const changes: Change[] = []
  const figures = { connections: 0, events: 0, repeats: 0 }
  /** The number of the last event that was compared. */
  let compared = first!.seq
  let newest = first!.seq
  let fault: unknown = null
  const ended = follow().catch((error: unknown) => {
    if (!abort.signal.aborted) fault = error
    connected.reject(error)
  })
  await connected.promise
  return { compare, figures, close }

  async function follow() {
    const onConnection = (isConnected: boolean) => {
      if (isConnected) figures.connections++
      connected.resolve()
    }
    const client = createClient({ url: base, token, fetch: patientFetch })
    const options = { signal: abort.signal, onConnection }
    for await (const event of client.events({ lastEventId: String(newest) }, options)) {
      await compareData('the subscriber was reset', () => assert.equal(event.type, 'change'))
      if (Number(event.id) <= newest) figures.repeats++
      else changes.push(event as Change)
      newest = Math.max(newest, Number(event.id))
    }
  }

  /** Waits for the present last event of the store. Then the subscriber has got all events up to it, in order. */
  async function compare(): Promise<void> {
    const rows = rowsOf<EventRow & { data: string }>(
      folder,
      `select seq, kind, recordId, change, data from event where seq > ${compared} order by seq`,
    ).map((row) => ({ ...row, data: JSON.parse(row.data) as unknown }))
    const last = rows.at(-1)?.seq ?? compared
    await until('the last event', async () => {
      if (fault !== null) throw fault
      return newest >= last
    })
    await compareData('the events of the subscriber', () =>
      assert.deepEqual(changes.splice(0, rows.length).map(rowOf), rows),
    )
    figures.events += rows.length
    compared = last
  }

  async function close() {
    abort.abort()
    await ended
  }
}

/** Repeats the request until Berth answers, so that the subscriber is connected at almost every kill. */
const patientFetch: typeof fetch = async (input, init) => {
  for (;;) {
    try {
      return await fetch(input, init)
    } catch (error) {
      if (init!.signal!.aborted) throw error
      await pause(50)
    }
  }
}

const rowOf = ({ id, kind, recordId, change, record }: Change): EventRow => ({
  seq: Number(id),
  kind,
  recordId,
  change,
  data: record,
})
