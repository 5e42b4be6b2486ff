/** Queries on nodes. */
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

test('keeps a removal when the node changes its state', async () => {
  await store.transact((tx) => recordNode(tx, node))
  await store.transact((tx) => beginNodeRemoval(tx, { ...node, state: 'unknown' }, removal))
  await store.transact((tx) => recordNode(tx, { ...node, state: 'down', since: 'later' }))
  assert.deepEqual(await nodes(), [{ ...node, state: 'down', since: 'later', ...removal }])
  assert.deepEqual([...(await leavingNodes(store.db))], ['n'])
})

test('records a node together with its removal if the node was never observed', async () => {
  await store.transact((tx) => beginNodeRemoval(tx, node, removal))
  assert.deepEqual(await nodes(), [{ ...node, ...removal }])
})

test('clears the removal of a node that stays in the swarm', async () => {
  await store.transact((tx) => beginNodeRemoval(tx, node, removal))
  await store.transact((tx) => endNodeRemoval(tx, 'n'))
  assert.deepEqual(await nodes(), [{ ...node, ...noRemoval }])
})
