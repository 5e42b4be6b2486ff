/** Changes of the availability and the labels of nodes. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { createKeptVolume, type NodeBody, pinTo, readNodes, startNodesBerth, waitForNode } from './cluster.ts'
import { databaseClientsOf, waitForRecord } from '../fixtures/database-clients.ts'
import { type Failure, wait } from '../fixtures/test-berth.ts'

const kind = kinds[0]!

// These tests wait for turns of loops, so they run concurrently.
describe('changes of nodes', { concurrency: true }, () => {
  updateTests()
  drainTests()
})

function updateTests(): void {
  test('changes availability and labels alone and together, and keeps what is left out', async () => {
    await using testBerth = await startNodesBerth()
    testBerth.engine.addNode('node2', { labels: { disk: 'hdd', rack: '1' } })
    // A node has `since` only after Berth has recorded it.
    await waitForNode(testBerth, 'node2')
    const update = (more: object) => testBerth.ok<NodeBody>('cluster.updateNode', { nodeId: 'node2', ...more })
    const paused = await update({ availability: 'pause' })
    assert.deepEqual([paused.availability, paused.labels], ['pause', { disk: 'hdd', rack: '1' }])
    const labels = { disk: 'ssd', 'com.example/zone': 'a b=c' }
    const labelled = await update({ labels })
    assert.deepEqual([labelled.availability, labelled.labels], ['pause', labels])
    const both = await update({ availability: 'drain', labels: {} })
    assert.deepEqual([both.availability, both.labels], ['drain', {}])
    assert.deepEqual(await update({}), both)
    assert.deepEqual(
      (await readNodes(testBerth)).find(({ id }) => id === 'node2'),
      both,
    )
  })

  test('refuses invalid input and an unknown node', async () => {
    await using testBerth = await startNodesBerth()
    const refused = (more: object, path: string) =>
      testBerth.refused('BAD_REQUEST', 'cluster.updateNode', { nodeId: 'node1', ...more }, path)
    await refused({ availability: 'off' }, 'availability')
    await refused({ force: 'yes' }, 'force')
    await refused({ nodeId: '' }, 'nodeId')
    for (const labels of [5, { a: 1 }, Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`l${at}`, '']))]) {
      const { status, body } = await testBerth.call<Failure>('cluster.updateNode', { nodeId: 'node1', labels })
      assert.deepEqual([status, body.issues.every(({ path }) => /^labels/.test(path))], [400, true])
    }
    for (const name of ['', '-a', 'a b', 'x'.repeat(256)]) {
      assert.equal(
        (await testBerth.call('cluster.updateNode', { nodeId: 'node1', labels: { [name]: 'x' } })).status,
        400,
      )
    }
    await testBerth.refused('NOT_FOUND', 'cluster.updateNode', { nodeId: 'nobody' })
    await testBerth.refused('NOT_FOUND', 'cluster.removeWorker', { nodeId: 'nobody' })
    assert.deepEqual((await readNodes(testBerth))[0]!.labels, {})
  })
}

function drainTests(): void {
  test('refuses to drain a node with pinned services unless forced, and names them', async () => {
    await using testBerth = await startNodesBerth()
    testBerth.engine.addNode('node2')
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await pinTo(testBerth, databaseClients, 'node2')
    const volume = await createKeptVolume(testBerth, databaseClients, 'node2')
    const drain = { nodeId: 'node2', availability: 'drain' }
    const { message } = await testBerth.refused('CONFLICT', 'cluster.updateNode', drain)
    for (const name of [up.appName, volume.appName]) assert.ok(message.includes(name), message)
    assert.match(message, /Send force: true to drain/)
    await testBerth.ok('cluster.updateNode', { ...drain, availability: 'pause' })
    assert.equal((await testBerth.ok<NodeBody>('cluster.updateNode', { ...drain, force: true })).availability, 'drain')
    const waiting = await waitForRecord(
      testBerth,
      databaseClients,
      up,
      ({ applicationStatus }) => applicationStatus === 'error',
    )
    assert.match(waiting.statusReason!, /^Node .*, which holds the volume, is drained$/)
    // The node is already drained, so the call stops nothing.
    await testBerth.ok('cluster.updateNode', { ...drain, labels: { a: 'b' } })
    await testBerth.ok('cluster.updateNode', { nodeId: 'node2', availability: 'active' })
    await waitForRecord(
      testBerth,
      databaseClients,
      up,
      ({ applicationStatus, containerState }) => applicationStatus === 'done' && containerState === 'running',
    )
  })

  test("counts ports of Berth's own node as pinned", async () => {
    await using testBerth = await startNodesBerth()
    await testBerth.ok('port.create', { publishedPort: 8080, targetPort: 80, applicationId: 'web' }, wait)
    const { message } = await testBerth.refused('CONFLICT', 'cluster.updateNode', {
      nodeId: 'node1',
      availability: 'drain',
    })
    assert.match(message, /the port 8080\/tcp of web/)
  })
}
