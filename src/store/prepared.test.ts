import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '../../test/fixtures/folder.ts'
import { openStore } from './sqlite/open.ts'
import { prepared } from './prepared.ts'

async function storeWith(t: TestContext, ids: string[]) {
  const store = await openStore(temporaryFolder(t))
  t.after(() => store.close())
  const createdAt = '2026-01-01T00:00:00.000Z'
  const rows = ids.map((id) => ({ id, name: `the ${id}`, description: null, createdAt }))
  await store.transact((tx) => tx.insertInto('project').values(rows).execute())
  return store
}

test('fills in the values of each call in any order, beside constant values', async (t) => {
  const { db } = await storeWith(t, ['a', 'b', 'c'])
  const find = prepared((db, name: string, least: string) =>
    db
      .selectFrom('project')
      .select('id')
      .where('id', '>=', least)
      .where('createdAt', '>', '2025')
      .where('name', '!=', name)
      .orderBy('id'),
  )
  assert.deepEqual(await find(db, 'the b', 'a'), [{ id: 'a' }, { id: 'c' }])
  assert.deepEqual(await find(db, 'the c', 'b'), [{ id: 'b' }])
})

test('builds the SQL once, also for transactions', async (t) => {
  const { db, transact } = await storeWith(t, ['a'])
  let made = 0
  const find = prepared((db, id: string) => {
    made++
    return db.selectFrom('project').select('name').where('id', '=', id)
  })
  await find(db, 'a')
  await find(db, 'x')
  assert.equal(made, 1)
  assert.deepEqual(await transact((tx) => find(tx, 'a')), [{ name: 'the a' }])
})

test('two stores in one process share no queries', async (t) => {
  const [first, second] = [await storeWith(t, ['a']), await storeWith(t, ['b'])]
  const all = prepared((db) => db.selectFrom('project').select('id'))
  assert.deepEqual([await all(first.db), await all(second.db)], [[{ id: 'a' }], [{ id: 'b' }]])
})

test('throws if a value does not become a parameter', async (t) => {
  const { db } = await storeWith(t, ['a'])
  const forgets = prepared((db, id: string) => db.selectFrom('project').select('id').where('id', '=', `${id}!`))
  await assert.rejects(forgets(db, 'a'), /A value is no parameter of: select/)
})
