/** Opening and closing the store, batches of writes, and what readers see. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '../../../test/fixtures/folder.ts'
import { toJson } from '../../lib/json.ts'
import { openStore, type Store } from './open.ts'
import type { Writer } from '../schema.ts'

const at = '2026-01-01T00:00:00.000Z'
const insert = (id: string) => (tx: Writer) =>
  tx
    .insertInto('project')
    .values({ id, name: id, description: null, allowedSources: toJson([]), createdAt: at })
    .execute()
const idsIn = async ({ db }: Store) =>
  (await db.selectFrom('project').select('id').orderBy('id').execute()).map(({ id }) => id)

async function openIn(t: TestContext, folder = temporaryFolder(t)) {
  const store = await openStore(folder)
  t.after(() => store.close())
  return store
}

test('keeps acknowledged writes when the store is closed and opened again', async (t) => {
  const folder = temporaryFolder(t)
  const first = await openStore(folder)
  await first.transact(insert('a'))
  await first.close()
  assert.deepEqual(await idsIn(await openIn(t, folder)), ['a'])
})

test('refuses a second Berth on the same folder', async (t) => {
  const folder = temporaryFolder(t)
  await openIn(t, folder)
  await assert.rejects(openStore(folder), /Another Berth is running on this data folder/)
})

test('a refusal undoes only its own writes in a batch', async (t) => {
  const store = await openIn(t)
  const outcomes = await Promise.allSettled([
    store.transact(insert('a')),
    store.transact(async (tx) => {
      await insert('b')(tx)
      throw new Error('refused')
    }),
    store.transact(insert('c')),
  ])
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(await idsIn(store), ['a', 'c'])
})

test('a failed statement undoes only its own writes in a batch', async (t) => {
  const store = await openIn(t)
  const outcomes = await Promise.allSettled([
    store.transact(insert('a')),
    store.transact(insert('a')),
    store.transact(insert('b')),
  ])
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(await idsIn(store), ['a', 'b'])
})

test('a write sees earlier writes of the same batch', async (t) => {
  const store = await openIn(t)
  const read = (tx: Writer) => tx.selectFrom('project').select('id').execute()
  const [, rows] = await Promise.all([store.transact(insert('a')), store.transact(read)])
  assert.equal(rows.length, 1)
})

test('readers see a write after its commit, not before', async (t) => {
  const store = await openIn(t)
  let idsBeforeCommit: string[] = []
  await store.transact(async (tx) => {
    await insert('a')(tx)
    idsBeforeCommit = await idsIn(store)
  })
  assert.deepEqual(idsBeforeCommit, [])
  assert.deepEqual(await idsIn(store), ['a'])
})

test('runs more writes than fit into one batch, in order', async (t) => {
  const store = await openIn(t)
  const ids = Array.from({ length: 300 }, (_, index) => String(index).padStart(3, '0'))
  await Promise.all(ids.map((id) => store.transact(insert(id))))
  assert.deepEqual(await idsIn(store), ids)
})

test('close waits for writes under way', async (t) => {
  const folder = temporaryFolder(t)
  const store = await openStore(folder)
  const written = store.transact(insert('a'))
  await store.close()
  await written
  assert.deepEqual(await idsIn(await openIn(t, folder)), ['a'])
})
