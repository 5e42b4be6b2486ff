/** Streams of events on a store: order, pages, limits and ends. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '../../test/fixtures/folder.ts'
import { copyNewStore } from '../../test/fixtures/new-store.ts'
import { openStore } from '../store/sqlite/open.ts'
import type { Transact } from '../store/schema.ts'
import { toJson } from '../lib/json.ts'
import { type EventStream, eventStreamsOn } from './follow.ts'

async function start(t: TestContext, limits?: { streams: number; streamsOfAccount: number }) {
  const folder = temporaryFolder(t)
  await copyNewStore(folder)
  const store = await openStore(folder)
  const events = eventStreamsOn(store.db, limits)
  t.after(async () => {
    events.release()
    await store.close()
  })
  return { folder, db: store.db, events, transact: events.notifyingAfter(store.transact) }
}

let projects = 0
const insertProject = (transact: Transact) =>
  transact(async (tx) => {
    const id = `p${++projects}`
    await tx
      .insertInto('project')
      .values({ id, name: id, description: null, allowedSources: toJson([]), createdAt: id })
      .execute()
  })

/** Reads a stream until it has reached a number. Returns the numbers of its events. */
async function numbersUntil(stream: EventStream, last: number): Promise<number[]> {
  const numbers: number[] = []
  for await (const { events, reached, missed } of stream.batches) {
    assert.equal(missed, false)
    numbers.push(...events.map(({ seq }) => seq))
    if (reached >= last) break
  }
  stream.end('client')
  return numbers
}

const numbersFrom = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at)

test('gives every event once and in order, at any number of concurrent writes and streams', async (t) => {
  const { events, transact } = await start(t)
  const last = 600
  const streams: [after: number, numbers: Promise<number[]>][] = []
  for (let round = 0; round < 20; round++) {
    const after = round * 30
    await Promise.all(Array.from({ length: 30 }, () => insertProject(transact)))
    streams.push([after, numbersUntil(await events.open(after, 'a'), last)])
  }
  for (const [after, numbers] of streams) assert.deepEqual(await numbers, numbersFrom(after + 1, last))
  assert.equal(events.figures().open, 0)
})

test('a stream without a position begins with the next event', async (t) => {
  const { events, transact } = await start(t)
  await insertProject(transact)
  const stream = await events.open(null, 'a')
  await insertProject(transact)
  assert.deepEqual(await numbersUntil(stream, 2), [2])
})

test('a stream that waits ends at once', async (t) => {
  const { events } = await start(t)
  const stream = await events.open(null, 'a')
  assert.deepEqual(await stream.batches.next(), { done: false, value: { events: [], reached: 0, missed: false } })
  const next = stream.batches.next()
  stream.end('access')
  stream.end('client')
  assert.deepEqual(await next, { done: true, value: undefined })
  const { open, ended } = events.figures()
  assert.deepEqual([open, ended.access, ended.client], [0, 1, 0])
})

test('a shutdown ends all streams, and those that are opened later', async (t) => {
  const { events } = await start(t)
  const stream = await events.open(null, 'a')
  await stream.batches.next()
  const next = stream.batches.next()
  events.release()
  assert.equal((await next).done, true)
  const late = await events.open(null, 'a')
  assert.equal((await late.batches.next()).done, true)
  assert.equal(events.figures().ended.shutdown, 2)
})

test('refuses more streams than the limits, until one ends', async (t) => {
  const { events } = await start(t, { streams: 3, streamsOfAccount: 2 })
  const first = await events.open(null, 'a')
  await events.open(null, 'a')
  await assert.rejects(events.open(null, 'a'), { code: 'TOO_MANY_REQUESTS', message: /^2 streams of this account/ })
  await events.open(null, 'b')
  await assert.rejects(events.open(null, 'c'), { code: 'TOO_MANY_REQUESTS', message: /^3 streams of events/ })
  first.end('client')
  await events.open(null, 'c')
})

test('tells a client that is behind deleted events to begin anew, and goes on after that', async (t) => {
  const { events, transact } = await start(t)
  for (let index = 0; index < 3; index++) await insertProject(transact)
  const stream = await events.open(1, 'a')
  await transact((tx) => tx.deleteFrom('event').where('seq', '<=', 2).execute())
  assert.deepEqual((await stream.batches.next()).value, { events: [], reached: 3, missed: true })
  await insertProject(transact)
  assert.deepEqual(await numbersUntil(stream, 4), [4])
})

test('gives an empty batch after 15 seconds, and then finds what another process wrote', async (t) => {
  const { folder, events } = await start(t)
  const stream = await events.open(null, 'a')
  await stream.batches.next()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const heartbeat = stream.batches.next()
  await new Promise(setImmediate)
  using other = new DatabaseSync(join(folder, 'berth.db'))
  other.exec(`insert into "project" ("id", "name", "createdAt") values ('other', 'other', '')`)
  t.mock.timers.tick(15_000)
  assert.deepEqual((await heartbeat).value, { events: [], reached: 0, missed: false })
  const next = stream.batches.next()
  await new Promise(setImmediate)
  t.mock.timers.tick(1000)
  const { value } = await next
  assert.deepEqual([value!.reached, value!.events[0]!.recordId], [1, 'other'])
})
