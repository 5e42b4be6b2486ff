import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '../../../test/fixtures/folder.ts'
import { openStore, type Store } from './open.ts'
import type { Writer } from '../schema.ts'

const at = '2026-01-01T00:00:00.000Z'
const insert = (id: string) => (tx: Writer) =>
  tx.insertInto('project').values({ id, name: id, description: null, createdAt: at }).execute()
const idsIn = async ({ db }: Store) =>
  (await db.selectFrom('project').select('id').orderBy('id').execute()).map(({ id }) => id)

async function openIn(t: TestContext, folder = temporaryFolder(t)) {
  const store = await openStore(folder)
  t.after(() => store.close())
  return store
}

test('what was answered is there after the store is opened again', async (t) => {
  const folder = temporaryFolder(t)
  const first = await openStore(folder)
  await first.transact(insert('a'))
  await first.close()
  assert.deepEqual(await idsIn(await openIn(t, folder)), ['a'])
})

test('a second Berth on the same folder is refused', async (t) => {
  const folder = temporaryFolder(t)
  await openIn(t, folder)
  await assert.rejects(openStore(folder), /Another Berth is running on this data folder/)
})

test('a refusal undoes only its own writes, among those that share its commit', async (t) => {
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

test('a statement that the database refuses undoes only its own work', async (t) => {
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

test('works see what those before them in the same batch wrote', async (t) => {
  const store = await openIn(t)
  const count = (tx: Writer) => tx.selectFrom('project').select('id').execute()
  const [, seen] = await Promise.all([store.transact(insert('a')), store.transact(count)])
  assert.equal(seen.length, 1)
})

test('nothing is answered before the commit, and a reader sees nothing of it before', async (t) => {
  const store = await openIn(t)
  let seenInside: string[] = []
  await store.transact(async (tx) => {
    await insert('a')(tx)
    seenInside = await idsIn(store)
  })
  assert.deepEqual(seenInside, [])
  assert.deepEqual(await idsIn(store), ['a'])
})

test('more writes than one batch holds are all carried out, in their order', async (t) => {
  const store = await openIn(t)
  const ids = Array.from({ length: 300 }, (_, index) => String(index).padStart(3, '0'))
  await Promise.all(ids.map((id) => store.transact(insert(id))))
  assert.deepEqual(await idsIn(store), ids)
})

test('closing waits for the writes under way', async (t) => {
  const folder = temporaryFolder(t)
  const store = await openStore(folder)
  const written = store.transact(insert('a'))
  await store.close()
  await written
  assert.deepEqual(await idsIn(await openIn(t, folder)), ['a'])
})
