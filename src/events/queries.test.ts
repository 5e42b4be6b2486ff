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

const insertEvent = (tx: Writer, seq: number, at = new Date()) =>
  tx
    .insertInto('event')
    .values({
      seq,
      at: at.toISOString(),
      kind: 'project',
      recordId: 'p',
      change: 'changed',
      projectId: null,
      adminOnly: 0,
      data: '{}',
    })
    .execute()

/** The days at which an event is written and old ones are deleted, null: by a clock that is not trusted. */
const prunings: [what: string, days: (number | null)[], kept: number[]][] = [
  ['none on the first day', [0, 0.5, 0.9], [1, 2, 3]],
  ['those before a mark of a day ago', [0, 0.5, 1.2, 1.6], [3, 4]],
  ['all old ones after a pause', [0, 0.1, 9], [3]],
  ['none while the clock is not trusted', [0, 0.5, null, null], [1, 2, 3, 4]],
  ['those before the newest mark, although later ones have none', [0, null, null, 1.5], [2, 3, 4]],
  ['none because of marks in the future', [900, 901, 0, 0.5], [2, 3, 4]],
]

for (const [what, days, kept] of prunings) {
  test(`deletes what is older than a day: ${what}`, async (t) => {
    const { db, transact } = await start(t)
    for (const [index, day] of days.entries()) {
      // The clock of SQLite, which dates events, is wrong all the time.
      await transact((tx) => insertEvent(tx, index + 1, new Date(0)))
      await transact((tx) => forgetOldEvents(tx, day === null ? null : new Date(day * dayMs)))
    }
    const { events } = await eventsAfter(db, 0)
    assert.deepEqual(
      events.map(({ seq }) => seq),
      kept,
    )
    assert.equal(await newestEvent(db), days.length)
  })
}

test('keeps at most a million events, also while the clock is not trusted', async (t) => {
  const { db, transact } = await start(t)
  await transact(async (tx) => {
    for (const seq of [1, 2, 1_000_001, 1_000_002]) await insertEvent(tx, seq)
  })
  await transact((tx) => forgetOldEvents(tx, null))
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
    for (const seq of [5, 6, 7]) await insertEvent(tx, seq)
  })
  const positions = [0, 3, 4, 5, 7, 8]
  assert.deepEqual(await Promise.all(positions.map(isGap)), [true, true, false, false, false, true])
  await transact((tx) => tx.deleteFrom('event').execute())
  assert.deepEqual(await Promise.all(positions.map(isGap)), [true, true, true, true, false, true])
})

test('reads a page at a time', async (t) => {
  const { db, transact } = await start(t)
  await transact(async (tx) => {
    for (let seq = 1; seq <= pageSize + 1; seq++) await insertEvent(tx, seq)
  })
  const { events, newest } = await eventsAfter(db, 0)
  assert.deepEqual([events.length, events.at(-1)!.seq, newest], [pageSize, pageSize, pageSize + 1])
})

test('begins anew with a number that is greater than every earlier one', async (t) => {
  const { db, transact } = await start(t)
  await transact((tx) => insertEvent(tx, 7))
  const restart = (ms: number) => transact((tx) => restartEvents(tx, new Date(ms)))
  await restart(1000)
  assert.deepEqual(await eventsAfter(db, 7), { events: [], newest: 1000, isGap: true })
  // The clock was set back.
  await restart(500)
  assert.equal(await newestEvent(db), 1001)
})
