/** The placement of a database's volume by node or label. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { NodePatch } from '../engine/memory/nodes.ts'
import { kinds } from '../../src/kinds/index.ts'
import { waitForNode } from '../nodes/cluster.ts'
import { appNameFor, databaseClientsOf, settingsOf } from '../fixtures/database-clients.ts'
import { type Input, type TestBerth, startTestBerth, wait } from '../fixtures/test-berth.ts'

const kind = kinds[0]!

const inputOn = (testBerth: TestBerth, more: Input) => ({
  name: 'db',
  appName: appNameFor(kind) || 'db',
  projectId: testBerth.projectId,
  ...settingsOf(kind),
  ...more,
})

/** Starts a test Berth with additional nodes. */
async function testBerthWith(...nodes: [id: string, patch: NodePatch][]): Promise<TestBerth> {
  const testBerth = await startTestBerth()
  for (const [id, patch] of nodes) testBerth.engine.addNode(id, patch)
  await waitForNode(testBerth, nodes.at(-1)?.[0] ?? 'node1')
  return testBerth
}

// The watch loop runs at most once a second: the tests of this file run concurrently.
describe('placement', { concurrency: true }, () => {
  placementTests()
  fixedTests()
  refusalTests()
  unsuitableNodeTests()
})

function placementTests(): void {
  const placements: [title: string, placement: Input, node: string | null][] = [
    ['the id of a node', { node: 'node2' }, 'node2'],
    ['the host name of a node', { node: 'second' }, 'second'],
    ['a label of a node', { nodeLabel: 'disk=a=b' }, null],
  ]
  for (const [title, placement, node] of placements) {
    test(`places a service by ${title}`, async () => {
      await using testBerth = await testBerthWith(['node2', { hostname: 'second', labels: { disk: 'a=b' } }])
      const databaseClients = databaseClientsOf(testBerth, kind)
      const created = await databaseClients.create(placement)
      assert.deepEqual([created.node, created.nodeLabel], [node, placement.nodeLabel ?? null])
      // A database without a requested placement is placed on the node with the fewest volumes.
      const [database, other] = [
        await databaseClients.complete('deploy', created),
        await databaseClients.createDeployed(),
      ]
      assert.deepEqual([database.node, other.node], ['second', 'memory'])
      assert.equal(testBerth.engine.specOf(database.appName)?.nodeId, 'node2')
      assert.deepEqual([database.nodeLabel, database.applicationStatus], [placement.nodeLabel ?? null, 'done'])
    })
  }

  test('accepts changes of the placement until the first deploy', async () => {
    await using testBerth = await testBerthWith(['node2', { labels: { disk: 'ssd' } }])
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create({ node: 'node1' })
    await databaseClients.refused('BAD_REQUEST', 'update', database, { nodeLabel: 'disk=ssd' }, 'nodeLabel')
    const labelled = await databaseClients.ok('update', database, { node: null, nodeLabel: 'disk=ssd' })
    assert.deepEqual([labelled.node, labelled.nodeLabel, labelled.pendingChanges], [null, 'disk=ssd', false])
    assert.deepEqual(await databaseClients.ok('update', database, { description: null }), labelled)
    const free = await databaseClients.ok('update', database, { nodeLabel: null })
    assert.deepEqual([free.node, free.nodeLabel], [null, null])
    await databaseClients.ok('update', database, { node: 'node2' })
    assert.equal((await databaseClients.complete('deploy', database)).node, 'node2')
  })
}

function fixedTests(): void {
  test('refuses another placement after the first deploy, and accepts the unchanged record', async () => {
    await using testBerth = await testBerthWith(['node2', { hostname: 'second', labels: { disk: 'ssd' } }])
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed({ nodeLabel: 'disk=ssd' })
    const same = { node: database.node, nodeLabel: database.nodeLabel as string }
    const { message } = await databaseClients.refused(
      'PRECONDITION_FAILED',
      'update',
      database,
      { node: 'node1' },
      'node',
    )
    assert.match(message, new RegExp(`The volume is on second already.*${kind.name}\\.move`))
    await databaseClients.refused('PRECONDITION_FAILED', 'update', database, { node: null }, 'node')
    await databaseClients.refused('PRECONDITION_FAILED', 'update', database, { ...same, nodeLabel: null }, 'nodeLabel')
    await databaseClients.refused('PRECONDITION_FAILED', 'update', database, { nodeLabel: 'disk=hdd' }, 'nodeLabel')
    for (const more of [same, { node: 'node2' }, {}])
      assert.equal((await databaseClients.ok('update', database, more)).node, 'second')
    await databaseClients.ok('stop', database, {}, wait)
    await databaseClients.refused('PRECONDITION_FAILED', 'update', database, { node: 'node1' }, 'node')
  })
}

function refusalTests(): void {
  test('refuses an unknown node, an ambiguous name, both fields at once and invalid texts', async () => {
    await using testBerth = await testBerthWith(['node2', { hostname: 'twin' }], ['node3', { hostname: 'twin' }])
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create()
    const refused = async (code: 'BAD_REQUEST' | 'NOT_FOUND', more: Input, path: string) => {
      const { message } = await testBerth.refused(code, `${kind.name}.create`, inputOn(testBerth, more), path)
      await databaseClients.refused(code, 'update', database, more, path)
      return message
    }
    assert.match(await refused('NOT_FOUND', { node: 'nobody' }, 'node'), /cluster\.getNodes/)
    assert.match(await refused('BAD_REQUEST', { node: 'twin' }, 'node'), /Give the id of one/)
    await refused('BAD_REQUEST', { node: 'node2', nodeLabel: 'a=b' }, 'nodeLabel')
    for (const node of ['', 5, 'a\u0000b', 'x'.repeat(256)]) await refused('BAD_REQUEST', { node }, 'node')
    for (const nodeLabel of ['', 'disk', '=ssd', 'a b=c', 'a=b\n', 5]) {
      await refused('BAD_REQUEST', { nodeLabel }, 'nodeLabel')
    }
  })
}

function unsuitableNodeTests(): void {
  const cases: [title: string, patch: NodePatch, placement: Input, reason: RegExp][] = [
    [
      'the node is down',
      { state: 'down' },
      { node: 'node2' },
      /node2, which this service requires, is not ready: its state is down$/,
    ],
    [
      'the node is drained',
      { availability: 'drain' },
      { node: 'node2' },
      /accepts no new containers: its availability is drain$/,
    ],
    [
      'no node has the label',
      { labels: { disk: 'hdd' } },
      { nodeLabel: 'disk=ssd' },
      /No node of the swarm has the label disk=ssd\. Add the label to a node with cluster\.updateNode$/,
    ],
    [
      'the node with the label is paused',
      { availability: 'pause', labels: { disk: 'ssd' } },
      { nodeLabel: 'disk=ssd' },
      /No node with the label disk=ssd is ready and active$/,
    ],
  ]
  for (const [title, patch, placement, reason] of cases) {
    test(`fails a deploy if ${title}, and succeeds after the node becomes suitable`, async () => {
      await using testBerth = await testBerthWith(['node2', patch])
      const databaseClients = databaseClientsOf(testBerth, kind)
      const database = await databaseClients.create(placement)
      const { status, body } = await databaseClients.call('deploy', database, {}, wait)
      assert.equal(status, 422)
      assert.match(body.message, reason)
      const failed = await databaseClients.one(database)
      assert.deepEqual([failed.applicationStatus, failed.statusReason, failed.volume], ['error', body.message, null])
      testBerth.engine.setNode('node2', { state: 'ready', availability: 'active', labels: { disk: 'ssd' } })
      assert.equal((await databaseClients.complete('deploy', database)).node, 'node2')
    })
  }

  test('skips nodes that are not ready or not active', async () => {
    await using testBerth = await testBerthWith(['node2', { availability: 'drain' }], ['node3', { state: 'down' }])
    const databaseClients = databaseClientsOf(testBerth, kind)
    for (const _ of [1, 2, 3]) assert.equal((await databaseClients.createDeployed()).node, 'memory')
  })
}
