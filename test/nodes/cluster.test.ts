/** The nodes of the swarm: their properties, joining, and changes of availability and labels. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { FoundService } from '../../src/engine/engine.ts'
import { installationLabel } from '../../src/engine/labels.ts'
import { kinds } from '../../src/kinds/index.ts'
import { kept, nodesOn, type NodeBody, pinTo, seenNode } from './cluster.ts'
import { databaseClientsOf, seen } from '../fixtures/database-clients.ts'
import { type Failure, type TestBerth, startTestBerth, wait } from '../fixtures/test-berth.ts'

const kind = kinds[0]!

interface Join {
  command: string
  token: string
  address: string
  version: string
}

// Berth's loop runs at most once a second, so the tests of this file run concurrently.
describe('cluster', { concurrency: true }, () => {
  nodeTests()
  pinnedTests()
  stateTests()
  joinTests()
  updateTests()
  drainTests()
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
    const nodes = await testBerth.until('its being seen', async () => {
      const found = await nodesOn(testBerth)
      return found.every(({ since }) => since !== null) ? found : null
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
        removal: null,
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
  test('lists the databases, kept volumes, ports and the proxy that are pinned to a node', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.addNode('node2')
    const databaseClients = databaseClientsOf(testBerth, kind)
    const here = await pinTo(testBerth, databaseClients, 'node1')
    const there = await pinTo(testBerth, databaseClients, 'node2')
    const { volumeId, appName } = await kept(testBerth, databaseClients, 'node2')
    const { portId } = await testBerth.ok('port.create', { publishedPort: 8080, targetPort: 80, applicationId: 'web' })
    const [{ labels }] = (await testBerth.engine.services()) as [FoundService]
    testBerth.engine.putForeign('berth-proxy', { labels: { [installationLabel]: labels[installationLabel]! } })
    const [own, other] = (await testBerth.until('the proxy', async () => {
      const nodes = await nodesOn(testBerth)
      return nodes[0]!.pinned.some(({ type }) => type === 'proxy') ? nodes : null
    })) as [NodeBody, NodeBody]
    const database = (it: typeof here) => ({ type: 'database', id: databaseClients.idOf(it), name: it.appName })
    const proxy = own.pinned.find(({ type }) => type === 'proxy')!
    const port = { type: 'port', id: portId, name: '8080/tcp of web' }
    assert.deepEqual(own.pinned, [database(here), port, { ...proxy, name: 'berth-proxy' }])
    assert.deepEqual(other.pinned, [database(there), { type: 'volume', id: volumeId, name: appName }])
  })
}

function stateTests(): void {
  test('logs once that a node is down and once that it is ready, also across a restart of Berth', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.addNode('node2', { hostname: 'second' })
    const stateIs = (state: string) =>
      testBerth.until(`it to be ${state}`, async () => {
        const node = (await nodesOn(testBerth)).find(({ id }) => id === 'node2')!
        const row = await testBerth.app.db.selectFrom('node').selectAll().where('id', '=', 'node2').executeTakeFirst()
        return node.state === state && row?.since === node.since ? node : null
      })
    const notes = () =>
      testBerth.logged
        .filter(({ event, fields }) => /node/.test(event) && fields.hostname === 'second')
        .map(({ event, level }) => [level, event])
    const first = await stateIs('ready')
    testBerth.engine.setNode('node2', { state: 'down' })
    const down = await stateIs('down')
    assert.ok(down.since! > first.since!)
    const turns = testBerth.engine.calls.nodes
    await testBerth.until('more turns', async () => (testBerth.engine.calls.nodes > turns + 2 ? true : null))
    assert.deepEqual(notes(), [
      ['info', 'a node joined the swarm'],
      ['warn', 'a node is not ready'],
    ])
    await testBerth.restart()
    assert.equal((await stateIs('down')).since, down.since)
    testBerth.engine.setNode('node2', { state: 'ready' })
    assert.ok((await stateIs('ready')).since! > down.since!)
    assert.deepEqual(notes(), [['info', 'a node is ready again']])
    testBerth.engine.addNode('node3', { hostname: '' })
    testBerth.engine.takeNode('node2')
    await testBerth.until('its leaving', async () => (notes().length > 1 ? true : null))
    assert.deepEqual(notes().at(-1), ['warn', 'a node left the swarm'])
    // A node that has just joined reports no description yet. It is listed, and logged once it does.
    assert.deepEqual(
      (await nodesOn(testBerth)).map(({ id, since }) => [id, since === null]),
      [
        ['node1', false],
        ['node3', true],
      ],
    )
    testBerth.engine.setNode('node3', { hostname: 'second' })
    await testBerth.until('its being noted', async () => (notes().length > 2 ? true : null))
    assert.deepEqual(notes().at(-1), ['info', 'a node joined the swarm'])
  })

  test('puts databases of a node that is down into error until the node is ready', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.addNode('node2')
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await pinTo(testBerth, databaseClients, 'node2')
    testBerth.engine.setNode('node2', { state: 'down' })
    const lost = await seen(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus === 'error')
    assert.match(lost.statusReason!, /^Node .*, which holds the volume, is down$/)
    testBerth.engine.setNode('node2', { state: 'ready' })
    await seen(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus === 'done')
  })
}

function joinTests(): void {
  test('gives the token and address to join, and another token after a rotation', async () => {
    await using testBerth = await startTestBerth()
    const worker = await testBerth.ok<Join>('cluster.addWorker')
    const manager = await testBerth.ok<Join>('cluster.addManager')
    for (const it of [worker, manager]) {
      assert.equal(it.command, `docker swarm join --token ${it.token} 192.0.2.10:2377`)
      assert.deepEqual([it.address, it.version], ['192.0.2.10:2377', '20.10.0'])
    }
    assert.notEqual(worker.token, manager.token)
    const rotated = await testBerth.ok<Join>('cluster.rotateTokens', { role: 'worker' })
    assert.notEqual(rotated.token, worker.token)
    assert.deepEqual(await testBerth.ok('cluster.addWorker'), rotated)
    assert.deepEqual(await testBerth.ok('cluster.addManager'), manager)
    assert.notEqual((await testBerth.ok<Join>('cluster.rotateTokens', { role: 'manager' })).token, manager.token)
    await testBerth.refused('BAD_REQUEST', 'cluster.rotateTokens', { role: 'leader' }, 'role')
    await testBerth.refused('BAD_REQUEST', 'cluster.rotateTokens', {}, 'role')
  })

  test('puts an IPv6 address in brackets', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.setNode('node1', { address: '2001:db8::1' })
    const { command, token, address } = await testBerth.ok<Join>('cluster.addWorker')
    assert.equal(address, '[2001:db8::1]:2377')
    assert.equal(command, `docker swarm join --token ${token} ${address}`)
  })

  test('keeps tokens out of the store, the log and the audit log', async () => {
    await using testBerth = await startTestBerth()
    const tokens = [await testBerth.ok<Join>('cluster.addWorker'), await testBerth.ok<Join>('cluster.addManager')]
    const once = { 'idempotency-key': 'rotated once' }
    const rotated = await testBerth.ok<Join>('cluster.rotateTokens', { role: 'worker' }, once)
    const rotations = testBerth.engine.calls.rotateToken
    // Checks the log of the process that answered: the process after a restart has another log.
    const before = JSON.stringify(testBerth.logged)
    assert.ok(before.includes('cluster.rotateTokens'), 'the search finds what is there')
    await testBerth.restart()
    assert.deepEqual(await testBerth.ok('cluster.rotateTokens', { role: 'worker' }, once), rotated)
    assert.equal(testBerth.engine.calls.rotateToken, rotations)
    const [entry] = (await testBerth.ok<{ operation: string; record: string | null }[]>('audit.all')).filter(
      ({ operation }) => operation === 'cluster.rotateTokens',
    )
    assert.equal(entry?.record, null)
    const files = readdirSync(testBerth.folder)
      .filter((name) => name.startsWith('berth.db'))
      .map((name) => join(testBerth.folder, name))
    for (const { token } of [...tokens, rotated]) {
      assert.ok(files.every((path) => !readFileSync(path).includes(token)))
      for (const log of [before, JSON.stringify(testBerth.logged)]) assert.ok(!log.includes(token))
    }
  })

  test('rotates no token without the engine, and records no success', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.setDown(true)
    const { status } = await testBerth.call('cluster.rotateTokens', { role: 'worker' })
    assert.equal(status, 503)
    testBerth.engine.setDown(false)
    assert.ok(
      (await testBerth.ok<{ operation: string; result: string }[]>('audit.all')).every(
        ({ operation, result }) => operation !== 'cluster.rotateTokens' || result === 'SERVICE_UNAVAILABLE',
      ),
    )
  })
}

function updateTests(): void {
  test('changes availability and labels alone and together, and keeps what is left out', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.addNode('node2', { labels: { disk: 'hdd', rack: '1' } })
    // `since` is set from then on.
    await seenNode(testBerth, 'node2')
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
      (await nodesOn(testBerth)).find(({ id }) => id === 'node2'),
      both,
    )
  })

  test('refuses invalid input and an unknown node', async () => {
    await using testBerth = await startTestBerth()
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
    assert.deepEqual((await nodesOn(testBerth))[0]!.labels, {})
  })
}

function drainTests(): void {
  test('refuses to drain a node with pinned services unless forced, and names them', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.addNode('node2')
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await pinTo(testBerth, databaseClients, 'node2')
    const volume = await kept(testBerth, databaseClients, 'node2')
    const drain = { nodeId: 'node2', availability: 'drain' }
    const { message } = await testBerth.refused('CONFLICT', 'cluster.updateNode', drain)
    for (const name of [up.appName, volume.appName]) assert.ok(message.includes(name), message)
    assert.match(message, /Send force: true to drain/)
    await testBerth.ok('cluster.updateNode', { ...drain, availability: 'pause' })
    assert.equal((await testBerth.ok<NodeBody>('cluster.updateNode', { ...drain, force: true })).availability, 'drain')
    const waiting = await seen(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus === 'error')
    assert.match(waiting.statusReason!, /^Node .*, which holds the volume, is drained$/)
    // The node is already drained, so the call stops nothing.
    await testBerth.ok('cluster.updateNode', { ...drain, labels: { a: 'b' } })
    await testBerth.ok('cluster.updateNode', { nodeId: 'node2', availability: 'active' })
    await seen(
      testBerth,
      databaseClients,
      up,
      ({ applicationStatus, containerState }) => applicationStatus === 'done' && containerState === 'running',
    )
  })

  test("counts ports of Berth's own node as pinned", async () => {
    await using testBerth = await startTestBerth()
    await testBerth.ok('port.create', { publishedPort: 8080, targetPort: 80, applicationId: 'web' }, wait)
    const { message } = await testBerth.refused('CONFLICT', 'cluster.updateNode', {
      nodeId: 'node1',
      availability: 'drain',
    })
    assert.match(message, /the port 8080\/tcp of web/)
  })
}

function accessTests(): void {
  test('lets only administrators see and change nodes and tokens', async () => {
    await using testBerth: TestBerth = await startTestBerth()
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
