/** The list of nodes: their properties, pinned services, changes of state, and access. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { FoundService } from '../../src/engine/engine.ts'
import { installationLabel } from '../../src/engine/labels.ts'
import { kinds } from '../../src/kinds/index.ts'
import { createKeptVolume, type NodeBody, pinTo, readNodes } from './cluster.ts'
import { databaseClientsOf, waitForRecord } from '../fixtures/database-clients.ts'
import { type Failure, startTestBerth } from '../fixtures/test-berth.ts'

const kind = kinds[0]!

// Berth's loop runs at most once a second, so the tests of this file run concurrently.
describe('nodes of the swarm', { concurrency: true }, () => {
  nodeTests()
  pinnedTests()
  stateTests()
  accessTests()
})

function nodeTests(): void {
  test('lists a node with all its properties', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.addNode('node2', {
      hostname: 'second',
      address: '2001:db8::2',
      role: 'manager',
      manager: { leader: false, reachable: false },
      availability: 'pause',
      labels: { disk: 'ssd' },
      engineVersion: '28.1.0',
      cpuCores: 1.5,
      memoryBytes: 2 ** 30,
    })
    testBerth.engine.addNode('node3')
    const nodes = await testBerth.until('all nodes to be recorded', async () => {
      const listed = await readNodes(testBerth)
      return listed.every(({ since }) => since !== null) ? listed : null
    })
    const [own, second, third] = nodes as [NodeBody, NodeBody, NodeBody]
    assert.deepEqual(
      { ...own, since: '' },
      {
        id: 'node1',
        hostname: 'memory',
        role: 'manager',
        availability: 'active',
        state: 'ready',
        since: '',
        address: '192.0.2.10',
        engineVersion: '20.10.0',
        cpuCores: 4,
        memoryBytes: 8 * 2 ** 30,
        labels: {},
        leader: true,
        reachable: true,
        isOwn: true,
        pinned: [],
        reserved: { databases: 0, memoryBytes: 0, cpuCores: 0 },
        removal: null,
        returned: [],
      },
    )
    assert.deepEqual(
      { ...second, since: '' },
      {
        ...own,
        since: '',
        id: 'node2',
        hostname: 'second',
        address: '2001:db8::2',
        leader: false,
        reachable: false,
        availability: 'pause',
        labels: { disk: 'ssd' },
        engineVersion: '28.1.0',
        cpuCores: 1.5,
        memoryBytes: 2 ** 30,
        isOwn: false,
      },
    )
    assert.deepEqual([third.role, third.leader, third.reachable], ['worker', false, null])
    assert.match(own.since!, /^2030-01-01T/)
  })

  test('answers 503 for nodes and join commands without the engine', async () => {
    await using testBerth = await startTestBerth()
    await testBerth.until('the first turn', async () => (testBerth.engine.calls.nodes > 0 ? true : null))
    testBerth.engine.setDown(true)
    const { status, body } = await testBerth.call<Failure>('cluster.getNodes')
    assert.deepEqual([status, body.code], [503, 'SERVICE_UNAVAILABLE'])
    for (const name of ['cluster.addWorker', 'cluster.addManager'])
      assert.equal((await testBerth.call(name)).status, 503)
  })
}

function pinnedTests(): void {
  test('sums what the records of running databases reserve on each node', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.addNode('node2')
    const databaseClients = databaseClientsOf(testBerth, kind)
    const reserved = async () => (await readNodes(testBerth)).map((node) => node.reserved)
    const none = { databases: 0, memoryBytes: 0, cpuCores: 0 }
    assert.deepEqual(await reserved(), [none, none])
    await pinTo(testBerth, databaseClients, 'node2', { memoryReservation: 64, cpuReservation: 0.5 })
    const plain = await pinTo(testBerth, databaseClients, 'node2')
    assert.deepEqual(await reserved(), [none, { databases: 2, memoryBytes: 64 * 1024 ** 2, cpuCores: 0.5 }])
    await databaseClients.complete('stop', plain)
    assert.equal((await reserved())[1]!.databases, 1)
  })

  test('lists the databases, kept volumes, ports and the proxy that are pinned to a node', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.addNode('node2')
    const databaseClients = databaseClientsOf(testBerth, kind)
    const onFirst = await pinTo(testBerth, databaseClients, 'node1')
    const onSecond = await pinTo(testBerth, databaseClients, 'node2')
    const { volumeId, appName } = await createKeptVolume(testBerth, databaseClients, 'node2')
    const { portId } = await testBerth.ok('port.create', { publishedPort: 8080, targetPort: 80, applicationId: 'web' })
    const [{ labels }] = (await testBerth.engine.services()) as [FoundService]
    testBerth.engine.putForeign('berth-proxy', { labels: { [installationLabel]: labels[installationLabel]! } })
    const [own, other] = (await testBerth.until('the proxy', async () => {
      const nodes = await readNodes(testBerth)
      return nodes[0]!.pinned.some(({ type }) => type === 'proxy') ? nodes : null
    })) as [NodeBody, NodeBody]
    const pinnedDatabase = (database: typeof onFirst) => ({
      type: 'database',
      id: databaseClients.idOf(database),
      name: database.appName,
    })
    const proxy = own.pinned.find(({ type }) => type === 'proxy')!
    const port = { type: 'port', id: portId, name: '8080/tcp of web' }
    assert.deepEqual(own.pinned, [pinnedDatabase(onFirst), port, { ...proxy, name: 'berth-proxy' }])
    assert.deepEqual(other.pinned, [pinnedDatabase(onSecond), { type: 'volume', id: volumeId, name: appName }])
  })
}

function stateTests(): void {
  test('logs each change of the state of a node once, also across a restart of Berth', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.addNode('node2', { hostname: 'second' })
    const stateIs = (state: string) =>
      testBerth.until(`the node to be ${state}`, async () => {
        const node = (await readNodes(testBerth)).find(({ id }) => id === 'node2')!
        const row = await testBerth.app.db.selectFrom('node').selectAll().where('id', '=', 'node2').executeTakeFirst()
        return node.state === state && row?.since === node.since ? node : null
      })
    const nodeLogEntries = () =>
      testBerth.logged
        .filter(({ event, fields }) => /node/.test(event) && fields.hostname === 'second')
        .map(({ event, level }) => [level, event])
    const first = await stateIs('ready')
    testBerth.engine.setNode('node2', { state: 'down' })
    const down = await stateIs('down')
    assert.ok(down.since! > first.since!)
    const turns = testBerth.engine.calls.nodes
    await testBerth.until('more turns', async () => (testBerth.engine.calls.nodes > turns + 2 ? true : null))
    assert.deepEqual(nodeLogEntries(), [
      ['info', 'a node joined the swarm'],
      ['warn', 'a node is not ready'],
    ])
    await testBerth.restart()
    assert.equal((await stateIs('down')).since, down.since)
    testBerth.engine.setNode('node2', { state: 'ready' })
    assert.ok((await stateIs('ready')).since! > down.since!)
    assert.deepEqual(nodeLogEntries(), [['info', 'a node is ready again']])
    testBerth.engine.addNode('node3', { hostname: '' })
    testBerth.engine.takeNode('node2')
    await testBerth.until('the node to leave', async () => (nodeLogEntries().length > 1 ? true : null))
    assert.deepEqual(nodeLogEntries().at(-1), ['warn', 'a node left the swarm'])
    // A node that has just joined reports no host name yet. Berth lists the node, and logs it when it has a host name.
    assert.deepEqual(
      (await readNodes(testBerth)).map(({ id, since }) => [id, since === null]),
      [
        ['node1', false],
        ['node3', true],
      ],
    )
    testBerth.engine.setNode('node3', { hostname: 'second' })
    await testBerth.until('the node to be recorded', async () => (nodeLogEntries().length > 2 ? true : null))
    assert.deepEqual(nodeLogEntries().at(-1), ['info', 'a node joined the swarm'])
  })

  test('puts databases of a node that is down into error until the node is ready', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.addNode('node2')
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await pinTo(testBerth, databaseClients, 'node2')
    testBerth.engine.setNode('node2', { state: 'down' })
    const lost = await waitForRecord(
      testBerth,
      databaseClients,
      up,
      ({ applicationStatus }) => applicationStatus === 'error',
    )
    assert.match(lost.statusReason!, /^Node .*, which holds the volume, is down$/)
    testBerth.engine.setNode('node2', { state: 'ready' })
    await waitForRecord(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus === 'done')
  })
}

function accessTests(): void {
  test('allows only administrators to read and change nodes and tokens', async () => {
    await using testBerth = await startTestBerth()
    const calls = {
      getNodes: {},
      addWorker: {},
      addManager: {},
      rotateTokens: { role: 'worker' },
      updateNode: { nodeId: 'node1' },
      removeWorker: { nodeId: 'node1' },
    }
    for (const [name, input] of Object.entries(calls)) {
      const { status } = await testBerth.call(`cluster.${name}`, input, {}, testBerth.user)
      assert.equal(status, 403, name)
    }
    assert.equal(testBerth.engine.calls.rotateToken, 0)
  })
}
