/** Queries on moves. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { folderUnder } from '../../../test/fixtures/folder.ts'
import { deleteMove, insertMove, setMoveStep, setMoveVolume } from './queries.ts'
import { openStore } from '../../store/sqlite/open.ts'

const end = new AsyncDisposableStack()
const store = await openStore(folderUnder(end))
end.defer(() => store.close())
after(() => end.disposeAsync())

const moves = () => store.db.selectFrom('move').selectAll().execute()

test('records the next step only if the stored step is the one that was read', async () => {
  const node = { nodeId: 'n', nodeName: 'n', nodeAddress: 'a' }
  const move = {
    databaseId: 'd',
    deploymentId: '1',
    ...node,
    volumeId: null,
    restoreRunId: null,
    inventorySum: null,
    step: 'prepare' as const,
  }
  await store.transact((tx) => insertMove(tx, move))
  await store.transact((tx) => setMoveVolume(tx, 'd', 'v'))
  assert.equal(await store.transact((tx) => setMoveStep(tx, move, 'stop')), true)
  assert.equal(await store.transact((tx) => setMoveStep(tx, move, 'back')), false)
  assert.deepEqual(await moves(), [{ ...move, volumeId: 'v', step: 'stop' }])
  await store.transact((tx) => deleteMove(tx, 'd'))
  assert.deepEqual(await moves(), [])
})
