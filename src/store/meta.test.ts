/** The single values in the table `meta`. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { folderUnder } from '../../test/fixtures/folder.ts'
import { deleteMeta, setMeta, tryToWrite } from './meta.ts'
import { openStore } from './sqlite/open.ts'

const end = new AsyncDisposableStack()
const store = await openStore(folderUnder(end))
end.defer(() => store.close())
after(() => end.disposeAsync())

const values = () => store.db.selectFrom('meta').selectAll().where('key', '=', 'color').execute()

test('replaces and deletes a value', async () => {
  for (const value of ['red', 'blue']) await store.transact((tx) => setMeta(tx, 'color', value))
  await store.transact(tryToWrite)
  assert.deepEqual(await values(), [{ key: 'color', value: 'blue' }])
  await store.transact((tx) => deleteMeta(tx, 'color'))
  assert.deepEqual(await values(), [])
})
