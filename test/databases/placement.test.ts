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

async function testBerthWith(...nodes: [id: string, how: NodePatch][]): Promise<TestBerth> {
  const testBerth = await startTestBerth()
  for (const [id, how] of nodes) testBerth.engine.addNode(id, how)
  await waitForNode(testBerth, nodes.at(-1)?.[0] ?? 'node1')
  return testBerth
}

// The watch loop runs at most once a second: the tests of this file run concurrently.
describe('placement', { concurrency: true }, () => {
  homeTests()
  fixedTests()
  refusalTests()
  unfitTests()
})

function homeTests(): void {
  const wishes: [title: string, wish: Input, shown: string | null][] = [
    ['the id of a node', { node: 'node2' }, 'node2'],
    ['its host name', { node: 'second' }, 'second'],
    ['a label of it', { nodeLabel: 'disk=a=b' }, null],
  ]
  for (const [title, wish, shown] of wishes) {
    test(`places a service by ${title}`, async () => {
      await using testBerth = await testBerthWith(['node2', { hostname: 'second', labels: { disk: 'a=b' } }])
      const databaseClients = databaseClientsOf(testBerth, kind)
      const made = await databaseClients.create(wish)
      assert.deepEqual([made.node, made.nodeLabel], [shown, wish.nodeLabel ?? null])
      // Without a requested placement, the next one is placed on the node with the fewest volumes.
      const [up, other] = [await databaseClients.settle('deploy', made), await databaseClients.up()]
      assert.deepEqual([up.node, other.node], ['second', 'memory'])
      assert.equal(testBerth.engine.specOf(up.appName)?.nodeId, 'node2')
      assert.deepEqual([up.nodeLabel, up.applicationStatus], [wish.nodeLabel ?? null, 'done'])
    })
  }

  test('accepts changes of the placement until the first deploy', async () => {
    await using testBerth = await testBerthWith(['node2', { labels: { disk: 'ssd' } }])
    const databaseClients = databaseClientsOf(testBerth, kind)
    const made = await databaseClients.create({ node: 'node1' })
    await databaseClients.refused('BAD_REQUEST', 'update', made, { nodeLabel: 'disk=ssd' }, 'nodeLabel')
    const labelled = await databaseClients.act('update', made, { node: null, nodeLabel: 'disk=ssd' })
    assert.deepEqual([labelled.node, labelled.nodeLabel, labelled.pendingChanges], [null, 'disk=ssd', false])
    assert.deepEqual(await databaseClients.act('update', made, { description: null }), labelled)
    const free = await databaseClients.act('update', made, { nodeLabel: null })
    assert.deepEqual([free.node, free.nodeLabel], [null, null])
    await databaseClients.act('update', made, { node: 'node2' })
    assert.equal((await databaseClients.settle('deploy', made)).node, 'node2')
  })
}

function fixedTests(): void {
  test('fixes the placement once the volume exists, and accepts the unchanged record', async () => {
    await using testBerth = await testBerthWith(['node2', { hostname: 'second', labels: { disk: 'ssd' } }])
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up({ nodeLabel: 'disk=ssd' })
    const same = { node: up.node, nodeLabel: up.nodeLabel as string }
    const { message } = await databaseClients.refused('PRECONDITION_FAILED', 'update', up, { node: 'node1' }, 'node')
    assert.match(message, new RegExp(`The volume is on second already.*${kind.name}\\.move`))
    await databaseClients.refused('PRECONDITION_FAILED', 'update', up, { node: null }, 'node')
    await databaseClients.refused('PRECONDITION_FAILED', 'update', up, { ...same, nodeLabel: null }, 'nodeLabel')
    await databaseClients.refused('PRECONDITION_FAILED', 'update', up, { nodeLabel: 'disk=hdd' }, 'nodeLabel')
    for (const more of [same, { node: 'node2' }, {}])
      assert.equal((await databaseClients.act('update', up, more)).node, 'second')
    await databaseClients.act('stop', up, {}, wait)
    await databaseClients.refused('PRECONDITION_FAILED', 'update', up, { node: 'node1' }, 'node')
  })
}

function refusalTests(): void {
  test('refuses an unknown node, an ambiguous name, both fields at once and invalid texts', async () => {
    await using testBerth = await testBerthWith(['node2', { hostname: 'twin' }], ['node3', { hostname: 'twin' }])
    const databaseClients = databaseClientsOf(testBerth, kind)
    const made = await databaseClients.create()
    const refused = async (code: 'BAD_REQUEST' | 'NOT_FOUND', more: Input, path: string) => {
      const { message } = await testBerth.refused(code, `${kind.name}.create`, inputOn(testBerth, more), path)
      await databaseClients.refused(code, 'update', made, more, path)
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

function unfitTests(): void {
  const cases: [title: string, how: NodePatch, wish: Input, reason: RegExp][] = [
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
  for (const [title, how, wish, reason] of cases) {
    test(`reports in the deploy that ${title}, and the next deploy uses a node that fits by then`, async () => {
      await using testBerth = await testBerthWith(['node2', how])
      const databaseClients = databaseClientsOf(testBerth, kind)
      const made = await databaseClients.create(wish)
      const { status, body } = await databaseClients.ask('deploy', made, {}, wait)
      assert.equal(status, 422)
      assert.match(body.message, reason)
      const failed = await databaseClients.one(made)
      assert.deepEqual([failed.applicationStatus, failed.statusReason, failed.volume], ['error', body.message, null])
      testBerth.engine.setNode('node2', { state: 'ready', availability: 'active', labels: { disk: 'ssd' } })
      assert.equal((await databaseClients.settle('deploy', made)).node, 'node2')
    })
  }

  test('skips nodes that are not ready or not active', async () => {
    await using testBerth = await testBerthWith(['node2', { availability: 'drain' }], ['node3', { state: 'down' }])
    const databaseClients = databaseClientsOf(testBerth, kind)
    for (const _ of [1, 2, 3]) assert.equal((await databaseClients.up()).node, 'memory')
  })
}
