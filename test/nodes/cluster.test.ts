/** The nodes of the swarm: what is told of them, how others join, and how one is used. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { FoundService } from '../../src/engine/engine.ts'
import { installationLabel } from '../../src/engine/labels.ts'
import { kinds } from '../../src/kinds/index.ts'
import { kept, nodesOn, type NodeBody, pinTo, seenNode } from './cluster.ts'
import { fleetOf, seen } from '../fixtures/fleet.ts'
import { type Failure, type Site, startSite, wait } from '../fixtures/site.ts'

const kind = kinds[0]!

interface Join {
  command: string
  token: string
  address: string
  version: string
}

// Berth looks once a second at most: the tests of this file wait side by side.
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
  test('a node is told with all that there is to know of it', async () => {
    await using site = await startSite()
    site.engine.addNode('node2', {
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
    site.engine.addNode('node3')
    const nodes = await site.until('its being seen', async () => {
      const found = await nodesOn(site)
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

  test('without the engine nodes and the commands to join are 503', async () => {
    await using site = await startSite()
    await site.until('the first turn', async () => (site.engine.calls.nodes > 0 ? true : null))
    site.engine.setDown(true)
    const { status, body } = await site.call<Failure>('cluster.getNodes')
    assert.deepEqual([status, body.code], [503, 'SERVICE_UNAVAILABLE'])
    for (const name of ['cluster.addWorker', 'cluster.addManager']) assert.equal((await site.call(name)).status, 503)
  })
}

function pinnedTests(): void {
  test('databases, kept volumes, ports and the proxy are told where they cannot leave', async () => {
    await using site = await startSite()
    site.engine.addNode('node2')
    const fleet = fleetOf(site, kind)
    const here = await pinTo(site, fleet, 'node1')
    const there = await pinTo(site, fleet, 'node2')
    const { volumeId, appName } = await kept(site, fleet, 'node2')
    const { portId } = await site.ok('port.create', { publishedPort: 8080, targetPort: 80, applicationId: 'web' })
    const [{ labels }] = (await site.engine.services()) as [FoundService]
    site.engine.putForeign('berth-proxy', { labels: { [installationLabel]: labels[installationLabel]! } })
    const [own, other] = (await site.until('the proxy', async () => {
      const nodes = await nodesOn(site)
      return nodes[0]!.pinned.some(({ type }) => type === 'proxy') ? nodes : null
    })) as [NodeBody, NodeBody]
    const database = (it: typeof here) => ({ type: 'database', id: fleet.idOf(it), name: it.appName })
    const proxy = own.pinned.find(({ type }) => type === 'proxy')!
    const port = { type: 'port', id: portId, name: '8080/tcp of web' }
    assert.deepEqual(own.pinned, [database(here), port, { ...proxy, name: 'berth-proxy' }])
    assert.deepEqual(other.pinned, [database(there), { type: 'volume', id: volumeId, name: appName }])
  })
}

function stateTests(): void {
  test('a node that falls and comes back is noted once each, also over a restart of Berth', async () => {
    await using site = await startSite()
    site.engine.addNode('node2', { hostname: 'second' })
    const stateIs = (state: string) =>
      site.until(`it to be ${state}`, async () => {
        const node = (await nodesOn(site)).find(({ id }) => id === 'node2')!
        const row = await site.app.db.selectFrom('node').selectAll().where('id', '=', 'node2').executeTakeFirst()
        return node.state === state && row?.since === node.since ? node : null
      })
    const notes = () =>
      site.logged
        .filter(({ event, fields }) => /node/.test(event) && fields.hostname === 'second')
        .map(({ event, level }) => [level, event])
    const first = await stateIs('ready')
    site.engine.setNode('node2', { state: 'down' })
    const down = await stateIs('down')
    assert.ok(down.since! > first.since!)
    const turns = site.engine.calls.nodes
    await site.until('more turns', async () => (site.engine.calls.nodes > turns + 2 ? true : null))
    assert.deepEqual(notes(), [
      ['info', 'a node is part of the swarm'],
      ['warn', 'a node is not ready'],
    ])
    await site.restart()
    assert.equal((await stateIs('down')).since, down.since)
    site.engine.setNode('node2', { state: 'ready' })
    assert.ok((await stateIs('ready')).since! > down.since!)
    assert.deepEqual(notes(), [['info', 'a node is back']])
    site.engine.addNode('node3', { hostname: '' })
    site.engine.takeNode('node2')
    await site.until('its leaving', async () => (notes().length > 1 ? true : null))
    assert.deepEqual(notes().at(-1), ['warn', 'a node has left the swarm'])
    // One that has only just joined has not told of itself: it is listed, and noted when it has.
    assert.deepEqual(
      (await nodesOn(site)).map(({ id, since }) => [id, since === null]),
      [
        ['node1', false],
        ['node3', true],
      ],
    )
    site.engine.setNode('node3', { hostname: 'second' })
    await site.until('its being noted', async () => (notes().length > 2 ? true : null))
    assert.deepEqual(notes().at(-1), ['info', 'a node is part of the swarm'])
  })

  test('what was on a node that falls is an error, and done when the node is back', async () => {
    await using site = await startSite()
    site.engine.addNode('node2')
    const fleet = fleetOf(site, kind)
    const up = await pinTo(site, fleet, 'node2')
    site.engine.setNode('node2', { state: 'down' })
    const lost = await seen(site, fleet, up, ({ applicationStatus }) => applicationStatus === 'error')
    assert.match(lost.statusReason!, /^Node .*, which holds the volume, is down$/)
    site.engine.setNode('node2', { state: 'ready' })
    await seen(site, fleet, up, ({ applicationStatus }) => applicationStatus === 'done')
  })
}

function joinTests(): void {
  test('the command to join names the token and the address of the swarm; a rotated token is another', async () => {
    await using site = await startSite()
    const worker = await site.ok<Join>('cluster.addWorker')
    const manager = await site.ok<Join>('cluster.addManager')
    for (const it of [worker, manager]) {
      assert.equal(it.command, `docker swarm join --token ${it.token} 192.0.2.10:2377`)
      assert.deepEqual([it.address, it.version], ['192.0.2.10:2377', '20.10.0'])
    }
    assert.notEqual(worker.token, manager.token)
    const rotated = await site.ok<Join>('cluster.rotateTokens', { role: 'worker' })
    assert.notEqual(rotated.token, worker.token)
    assert.deepEqual(await site.ok('cluster.addWorker'), rotated)
    assert.deepEqual(await site.ok('cluster.addManager'), manager)
    assert.notEqual((await site.ok<Join>('cluster.rotateTokens', { role: 'manager' })).token, manager.token)
    await site.refused('BAD_REQUEST', 'cluster.rotateTokens', { role: 'leader' }, 'role')
    await site.refused('BAD_REQUEST', 'cluster.rotateTokens', {}, 'role')
  })

  test('an IPv6 address is in brackets', async () => {
    await using site = await startSite()
    site.engine.setNode('node1', { address: '2001:db8::1' })
    const { command, token, address } = await site.ok<Join>('cluster.addWorker')
    assert.equal(address, '[2001:db8::1]:2377')
    assert.equal(command, `docker swarm join --token ${token} ${address}`)
  })

  test('tokens are in clear neither in the store nor in the log nor in the audit', async () => {
    await using site = await startSite()
    const tokens = [await site.ok<Join>('cluster.addWorker'), await site.ok<Join>('cluster.addManager')]
    const once = { 'idempotency-key': 'rotated once' }
    const rotated = await site.ok<Join>('cluster.rotateTokens', { role: 'worker' }, once)
    const rotations = site.engine.calls.rotateToken
    // Of the Berth that answered them: the one after it has a log of its own.
    const before = JSON.stringify(site.logged)
    assert.ok(before.includes('cluster.rotateTokens'), 'the search finds what is there')
    await site.restart()
    assert.deepEqual(await site.ok('cluster.rotateTokens', { role: 'worker' }, once), rotated)
    assert.equal(site.engine.calls.rotateToken, rotations)
    const [entry] = (await site.ok<{ operation: string; record: string | null }[]>('audit.all')).filter(
      ({ operation }) => operation === 'cluster.rotateTokens',
    )
    assert.equal(entry?.record, null)
    const files = readdirSync(site.folder)
      .filter((name) => name.startsWith('berth.db'))
      .map((name) => join(site.folder, name))
    for (const { token } of [...tokens, rotated]) {
      assert.ok(files.every((path) => !readFileSync(path).includes(token)))
      for (const log of [before, JSON.stringify(site.logged)]) assert.ok(!log.includes(token))
    }
  })

  test('without the engine no token is rotated, and nothing is noted as done', async () => {
    await using site = await startSite()
    site.engine.setDown(true)
    const { status } = await site.call('cluster.rotateTokens', { role: 'worker' })
    assert.equal(status, 503)
    site.engine.setDown(false)
    assert.ok(
      (await site.ok<{ operation: string; result: string }[]>('audit.all')).every(
        ({ operation, result }) => operation !== 'cluster.rotateTokens' || result === 'SERVICE_UNAVAILABLE',
      ),
    )
  })
}

function updateTests(): void {
  test('availability and labels change alone and together; what is left out stays', async () => {
    await using site = await startSite()
    site.engine.addNode('node2', { labels: { disk: 'hdd', rack: '1' } })
    // Its `since` is there from then on.
    await seenNode(site, 'node2')
    const update = (more: object) => site.ok<NodeBody>('cluster.updateNode', { nodeId: 'node2', ...more })
    const paused = await update({ availability: 'pause' })
    assert.deepEqual([paused.availability, paused.labels], ['pause', { disk: 'hdd', rack: '1' }])
    const labels = { disk: 'ssd', 'com.example/zone': 'a b=c' }
    const labelled = await update({ labels })
    assert.deepEqual([labelled.availability, labelled.labels], ['pause', labels])
    const both = await update({ availability: 'drain', labels: {} })
    assert.deepEqual([both.availability, both.labels], ['drain', {}])
    assert.deepEqual(await update({}), both)
    assert.deepEqual(
      (await nodesOn(site)).find(({ id }) => id === 'node2'),
      both,
    )
  })

  test('wrong input and an unknown node are refused', async () => {
    await using site = await startSite()
    const refused = (more: object, path: string) =>
      site.refused('BAD_REQUEST', 'cluster.updateNode', { nodeId: 'node1', ...more }, path)
    await refused({ availability: 'off' }, 'availability')
    await refused({ force: 'yes' }, 'force')
    await refused({ nodeId: '' }, 'nodeId')
    for (const labels of [5, { a: 1 }, Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`l${at}`, '']))]) {
      const { status, body } = await site.call<Failure>('cluster.updateNode', { nodeId: 'node1', labels })
      assert.deepEqual([status, body.issues.every(({ path }) => /^labels/.test(path))], [400, true])
    }
    for (const name of ['', '-a', 'a b', 'x'.repeat(256)]) {
      assert.equal((await site.call('cluster.updateNode', { nodeId: 'node1', labels: { [name]: 'x' } })).status, 400)
    }
    await site.refused('NOT_FOUND', 'cluster.updateNode', { nodeId: 'nobody' })
    await site.refused('NOT_FOUND', 'cluster.removeWorker', { nodeId: 'nobody' })
    assert.deepEqual((await nodesOn(site))[0]!.labels, {})
  })
}

function drainTests(): void {
  test('draining a node to which something is pinned is refused by name, unless it is forced', async () => {
    await using site = await startSite()
    site.engine.addNode('node2')
    const fleet = fleetOf(site, kind)
    const up = await pinTo(site, fleet, 'node2')
    const volume = await kept(site, fleet, 'node2')
    const drain = { nodeId: 'node2', availability: 'drain' }
    const { message } = await site.refused('CONFLICT', 'cluster.updateNode', drain)
    for (const name of [up.appName, volume.appName]) assert.ok(message.includes(name), message)
    assert.match(message, /With force/)
    await site.ok('cluster.updateNode', { ...drain, availability: 'pause' })
    assert.equal((await site.ok<NodeBody>('cluster.updateNode', { ...drain, force: true })).availability, 'drain')
    const waiting = await seen(site, fleet, up, ({ applicationStatus }) => applicationStatus === 'error')
    assert.match(waiting.statusReason!, /^Node .*, which holds the volume, is drained$/)
    // Drained it is already: what it would stop stands still.
    await site.ok('cluster.updateNode', { ...drain, labels: { a: 'b' } })
    await site.ok('cluster.updateNode', { nodeId: 'node2', availability: 'active' })
    await seen(
      site,
      fleet,
      up,
      ({ applicationStatus, containerState }) => applicationStatus === 'done' && containerState === 'running',
    )
  })

  test("ports of Berth's own node count as pinned too", async () => {
    await using site = await startSite()
    await site.ok('port.create', { publishedPort: 8080, targetPort: 80, applicationId: 'web' }, wait)
    const { message } = await site.refused('CONFLICT', 'cluster.updateNode', { nodeId: 'node1', availability: 'drain' })
    assert.match(message, /the port 8080\/tcp of web/)
  })
}

function accessTests(): void {
  test('only administrators see nodes and tokens, and change either', async () => {
    await using site: Site = await startSite()
    const calls = {
      getNodes: {},
      addWorker: {},
      addManager: {},
      rotateTokens: { role: 'worker' },
      updateNode: { nodeId: 'node1' },
      removeWorker: { nodeId: 'node1' },
    }
    for (const [name, input] of Object.entries(calls)) {
      const { status } = await site.call(`cluster.${name}`, input, {}, site.user)
      assert.equal(status, 403, name)
    }
    assert.equal(site.engine.calls.rotateToken, 0)
  })
}
