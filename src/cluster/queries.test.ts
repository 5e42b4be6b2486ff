/** Nodes in a store: what is seen of a node and the removal of the node are recorded apart. */
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { folderUnder } from '../../test/fixtures/folder.ts'
import { beginNodeRemoval, deleteNode, endNodeRemoval, leavingNodes, recordNode } from './queries.ts'
import { openStore } from '../store/sqlite/open.ts'

const end = new AsyncDisposableStack()
const store = await openStore(folderUnder(end))
end.defer(() => store.close())
after(() => end.disposeAsync())

const node = { id: 'n', hostname: 'web-1', state: 'ready', since: '2030-01-01T00:00:00.000Z' }
const removal = { deploymentId: '1', force: 1, availability: 'active' } as const
const noRemoval = { deploymentId: null, force: 0, availability: '' }
const nodes = () => store.db.selectFrom('node').selectAll().execute()

beforeEach(() => store.transact((tx) => deleteNode(tx, 'n')))

test('a removal goes on when the node is seen in another state', async () => {
  await store.transact((tx) => recordNode(tx, node))
  await store.transact((tx) => beginNodeRemoval(tx, { ...node, state: 'unknown' }, removal))
  await store.transact((tx) => recordNode(tx, { ...node, state: 'down', since: 'later' }))
  assert.deepEqual(await nodes(), [{ ...node, state: 'down', since: 'later', ...removal }])
  assert.deepEqual([...(await leavingNodes(store.db))], ['n'])
})

test('a removal records a node that was never seen', async () => {
  await store.transact((tx) => beginNodeRemoval(tx, node, removal))
  assert.deepEqual(await nodes(), [{ ...node, ...removal }])
})

test('nothing of a removal is left after its end', async () => {
  await store.transact((tx) => beginNodeRemoval(tx, node, removal))
  await store.transact((tx) => endNodeRemoval(tx, 'n'))
  assert.deepEqual(await nodes(), [{ ...node, ...noRemoval }])
})
