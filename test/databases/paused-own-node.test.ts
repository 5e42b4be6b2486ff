/** Berth works on databases of other nodes while its own node is paused. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyImage } from '../engine/memory/engine.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth, type TestBerth, wait } from '../fixtures/test-berth.ts'
import { waitForNode } from '../nodes/cluster.ts'
import { fakeVolumes, inventory, shopDump } from './fake-volumes.ts'
import { kind } from './moves.ts'

/** Starts a test Berth whose own node is paused, with a database with data on node2. */
async function openPaused(testBerth: TestBerth) {
  const { engine } = testBerth
  for (const node of ['node2', 'node3']) {
    engine.addNode(node)
    await waitForNode(testBerth, node)
  }
  engine.setNode('node1', { availability: 'pause' })
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.createDeployed({ node: 'node2' })
  const volumes = fakeVolumes(testBerth, database.appName)
  volumes.contents.set(database.volume!, { dump: shopDump, list: inventory() })
  return { databaseClients, database, volumes }
}

test("moves a database between two other nodes while Berth's own node is paused", async () => {
  await using testBerth = await startTestBerth()
  const { databaseClients, database, volumes } = await openPaused(testBerth)
  const moved = await databaseClients.ok('move', database, { node: 'node3' }, wait)
  assert.deepEqual([moved.node, moved.applicationStatus], ['node3', 'done'])
  assert.equal(volumes.contents.get(moved.volume!)!.dump, shopDump)
})

test('copies an image that is in no registry to the new node of a database', async () => {
  await using testBerth = await startTestBerth()
  const { engine } = testBerth
  const { databaseClients, database } = await openPaused(testBerth)
  const copies: string[] = []
  engine.images = (reference, nodeId) => (nodeId === 'node3' && copies.length === 0 ? null : anyImage(reference))
  engine.onCopy = (_, nodeId) => void copies.push(nodeId)
  const moved = await databaseClients.ok('move', database, { node: 'node3' }, wait)
  assert.deepEqual([moved.node, copies], ['node3', ['node3']])
})

test('ends a move before the stop if the new node can get no image, and names the node', async () => {
  await using testBerth = await startTestBerth()
  const { engine } = testBerth
  const { databaseClients, database } = await openPaused(testBerth)
  engine.images = (reference, nodeId) => (nodeId === 'node2' ? anyImage(reference) : null)
  const { status, body } = await databaseClients.call('move', database, { node: 'node3' }, wait)
  assert.equal(status, 422)
  assert.match(body.message, /Image not found on node node3 \(No such image: mysql/)
  assert.equal((await databaseClients.one(database)).node, 'node2')
})
