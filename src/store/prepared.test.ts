/** Queries whose SQL is built only once for each connection. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '../../test/fixtures/folder.ts'
import { toJson } from '../lib/json.ts'
import { openStore } from './sqlite/open.ts'
import { prepared } from './prepared.ts'

async function storeWith(t: TestContext, ids: string[]) {
  const store = await openStore(temporaryFolder(t))
  t.after(() => store.close())
  const createdAt = '2026-01-01T00:00:00.000Z'
  const rows = ids.map((id) => ({ id, name: `the ${id}`, description: null, allowedSources: toJson([]), createdAt }))
  await store.transact((tx) => tx.insertInto('project').values(rows).execute())
  return store
}

test('fills in the arguments of each call in any order, next to constant values', async (t) => {
  const { db } = await storeWith(t, ['a', 'b', 'c'])
  const find = prepared((db, name: string, minId: string) =>
    db
      .selectFrom('project')
      .select('id')
      .where('id', '>=', minId)
      .where('createdAt', '>', '2025')
      .where('name', '!=', name)
      .orderBy('id'),
  )
  assert.deepEqual(await find(db, 'the b', 'a'), [{ id: 'a' }, { id: 'c' }])
  assert.deepEqual(await find(db, 'the c', 'b'), [{ id: 'b' }])
})

test('builds the SQL of repeated reads once, and runs the query in transactions too', async (t) => {
  const { db, transact } = await storeWith(t, ['a'])
  let builds = 0
  const find = prepared((db, id: string) => {
    builds++
    return db.selectFrom('project').select('name').where('id', '=', id)
  })
  await find(db, 'a')
  await find(db, 'x')
  assert.equal(builds, 1)
  assert.deepEqual(await transact((tx) => find(tx, 'a')), [{ name: 'the a' }])
})

test('two stores in one process share no queries', async (t) => {
  const [first, second] = [await storeWith(t, ['a']), await storeWith(t, ['b'])]
  const all = prepared((db) => db.selectFrom('project').select('id'))
  assert.deepEqual([await all(first.db), await all(second.db)], [[{ id: 'a' }], [{ id: 'b' }]])
})

test('throws if an argument does not become a parameter', async (t) => {
  const { db } = await storeWith(t, ['a'])
  const withoutParameter = prepared((db, id: string) =>
    db.selectFrom('project').select('id').where('id', '=', `${id}!`),
  )
  await assert.rejects(withoutParameter(db, 'a'), /An argument is not a parameter of: select/)
})
