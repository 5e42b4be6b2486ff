/** Reading pages of events, deleting old events, and beginning anew. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '../../test/fixtures/folder.ts'
import { copyNewStore } from '../../test/fixtures/new-store.ts'
import { openStore } from '../store/sqlite/open.ts'
import type { Writer } from '../store/schema.ts'
import { eventsAfter, forgetOldEvents, newestEvent, pageSize, restartEvents } from './queries.ts'

const dayMs = 24 * 3600_000

async function start(t: TestContext) {
  const folder = temporaryFolder(t)
  await copyNewStore(folder)
  const store = await openStore(folder)
  t.after(() => store.close())
  return store
}

/** Inserts an event whose time is that many days before now. */
const insertEvent = (tx: Writer, seq: number, days: number) =>
  tx
    .insertInto('event')
    .values({
      seq,
      at: new Date(Date.now() - days * dayMs).toISOString(),
      kind: 'project',
      recordId: 'p',
      change: 'changed',
      projectId: null,
      adminOnly: 0,
      data: '{}',
    })
    .execute()

/** The ages in days of the events 1, 2, 3 and so on, and the numbers of those that are kept. */
const prunings: [what: string, ages: number[], kept: number[]][] = [
  ['none', [], []],
  ['events of the last day', [0.9, 0.5, 0], [1, 2, 3]],
  ['old events', [2, 1.1, 0.9, 0], [3, 4]],
  ['only old events', [3, 2], []],
  ['events from the future, when the clock was wrong', [-900, -900, 1.1, 0.5], [4]],
  ['an old event after a new one stays, so that no gap remains', [2, 0.1, 1.5, 0.2], [2, 3, 4]],
  ['events from the future only', [-900, -900], []],
]

for (const [what, ages, kept] of prunings) {
  test(`deletes what is older than a day: ${what}`, async (t) => {
    const { db, transact } = await start(t)
    await transact(async (tx) => {
      for (const [index, age] of ages.entries()) await insertEvent(tx, index + 1, age)
    })
    await transact((tx) => forgetOldEvents(tx, true))
    const { events } = await eventsAfter(db, 0)
    assert.deepEqual(
      events.map(({ seq }) => seq),
      kept,
    )
    assert.equal(await newestEvent(db), ages.length)
  })
}

test('keeps at most a million events', async (t) => {
  const { db, transact } = await start(t)
  await transact(async (tx) => {
    for (const seq of [1, 2, 1_000_001, 1_000_002]) await insertEvent(tx, seq, 0)
  })
  await transact((tx) => forgetOldEvents(tx, true))
  assert.deepEqual(
    (await eventsAfter(db, 0)).events.map(({ seq }) => seq),
    [1_000_001, 1_000_002],
  )
})

test('notices a gap after every position whose next event is deleted or unknown', async (t) => {
  const { db, transact } = await start(t)
  const isGap = async (seq: number) => (await eventsAfter(db, seq)).isGap
  assert.deepEqual([await isGap(0), await isGap(1)], [false, true])
  await transact(async (tx) => {
    for (const seq of [5, 6, 7]) await insertEvent(tx, seq, 0)
  })
  const positions = [0, 3, 4, 5, 7, 8]
  assert.deepEqual(await Promise.all(positions.map(isGap)), [true, true, false, false, false, true])
  await transact((tx) => tx.deleteFrom('event').execute())
  assert.deepEqual(await Promise.all(positions.map(isGap)), [true, true, true, true, false, true])
})

test('reads a page at a time', async (t) => {
  const { db, transact } = await start(t)
  await transact(async (tx) => {
    for (let seq = 1; seq <= pageSize + 1; seq++) await insertEvent(tx, seq, 0)
  })
  const { events, newest } = await eventsAfter(db, 0)
  assert.deepEqual([events.length, events.at(-1)!.seq, newest], [pageSize, pageSize, pageSize + 1])
})

test('begins anew with a number that is greater than every earlier one', async (t) => {
  const { db, transact } = await start(t)
  await transact((tx) => insertEvent(tx, 7, 0))
  const restart = (ms: number) => transact((tx) => restartEvents(tx, new Date(ms)))
  await restart(1000)
  assert.deepEqual(await eventsAfter(db, 7), { events: [], newest: 1000, isGap: true })
  // The clock was set back.
  await restart(500)
  assert.equal(await newestEvent(db), 1001)
})
