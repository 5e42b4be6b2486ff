/** The removal of a node: the steps, the reported reasons, the refusals, and removal by force. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { NodePatch } from '../engine/memory/nodes.ts'
import { kinds } from '../../src/kinds/index.ts'
import {
  beginRemoval,
  createKeptVolume,
  manager,
  pinTo,
  readNode,
  readNodes,
  type Removal,
  runForeignService,
  startNodesBerth,
  untilRemovalEnds,
  waitForNode,
} from './cluster.ts'
import { databaseClientsOf, waitForRecord } from '../fixtures/database-clients.ts'
import { type Failure, wait } from '../fixtures/test-berth.ts'

const kind = kinds[0]!

// These tests wait for turns of loops, so they run concurrently.
describe('removals of nodes', { concurrency: true }, () => {
  removalTests()
  managerTests()
  refusalTests()
  forceTests()
})

function removalTests(): void {
  test('answers at once, then drains the node, waits for its tasks and removes it', async () => {
    await using testBerth = await startNodesBerth()
    testBerth.engine.addNode('node2', { hostname: 'second' })
    await waitForNode(testBerth, 'node2')
    await runForeignService(testBerth)
    testBerth.engine.linger('node2', true)
    const removal = await beginRemoval(testBerth)
    const { deploymentId, reason, reasonCode, ...rest } = removal
    assert.deepEqual(rest, { nodeId: 'node2', hostname: 'second', state: 'running', force: false, lost: [] })
    assert.match(reason!, /about to be drained/)
    assert.equal(reasonCode, 'DrainPending')
    const waiting = await testBerth.until('the removal to wait for tasks', async () => {
      const node = await readNode(testBerth)
      return node?.removal?.reasonCode === 'TasksOnNode' ? node : null
    })
    assert.deepEqual(
      [waiting.availability, waiting.removal?.deploymentId, waiting.removal?.force],
      ['drain', deploymentId, false],
    )
    assert.match(waiting.removal!.reason!, /1 container of foreign/)
    assert.equal(testBerth.engine.calls.removeNode, 0)
    testBerth.engine.linger('node2', false)
    const done = await untilRemovalEnds(testBerth)
    assert.deepEqual(
      [done.state, done.nodeId, done.serviceId, done.appName, done.reason],
      ['done', 'node2', null, 'second', null],
    )
    assert.equal(await readNode(testBerth), undefined)
    assert.deepEqual(await testBerth.app.db.selectFrom('node').select('id').execute(), [{ id: 'node1' }])
    assert.equal((await testBerth.call('cluster.removeWorker', { nodeId: 'node2' })).status, 404)
  })

  test('answers after the end of the removal with Prefer: wait', async () => {
    await using testBerth = await startNodesBerth()
    testBerth.engine.addNode('node2')
    const { status, body, headers } = await testBerth.call<Removal>('cluster.removeWorker', { nodeId: 'node2' }, wait)
    assert.deepEqual([status, headers['preference-applied']], [200, wait.prefer])
    assert.deepEqual([body.nodeId, body.state, body.reason, body.lost], ['node2', 'done', null, []])
    assert.equal(await readNode(testBerth), undefined)
  })

  test('does not wait for the tasks of a node that is down', async () => {
    await using testBerth = await startNodesBerth()
    testBerth.engine.addNode('node2')
    await runForeignService(testBerth)
    testBerth.engine.setNode('node2', { state: 'down' })
    assert.equal((await testBerth.call('cluster.removeWorker', { nodeId: 'node2' }, wait)).status, 200)
    assert.equal(await readNode(testBerth), undefined)
  })

  test('finishes the removal if another client removes the node meanwhile', async () => {
    await using testBerth = await startNodesBerth()
    testBerth.engine.addNode('node2')
    await runForeignService(testBerth)
    testBerth.engine.linger('node2', true)
    await beginRemoval(testBerth)
    await testBerth.until('the drain', async () =>
      (await readNode(testBerth))?.availability === 'drain' ? true : null,
    )
    testBerth.engine.takeNode('node2')
    assert.equal((await untilRemovalEnds(testBerth)).state, 'done')
  })
}

function managerTests(): void {
  test('drains a manager, then demotes and removes it', async () => {
    await using testBerth = await startNodesBerth()
    for (const id of ['node2', 'node3']) testBerth.engine.addNode(id, manager)
    await beginRemoval(testBerth)
    await testBerth.until('the drain', async () =>
      (await readNode(testBerth))?.availability === 'drain' ? true : null,
    )
    assert.equal((await readNode(testBerth))?.role, 'manager')
    assert.equal((await untilRemovalEnds(testBerth, 100)).state, 'done')
    assert.deepEqual(
      (await readNodes(testBerth)).map(({ id }) => id),
      ['node1', 'node3'],
    )
  })

  const groups: [title: string, others: NodePatch[], isRefused: boolean][] = [
    ['one of two managers', [manager], false],
    ['one of three reachable managers', [manager, manager], false],
    [
      'a reachable manager if another one of three is unreachable',
      [manager, { ...manager, manager: { leader: false, reachable: false } }],
      true,
    ],
    [
      'the unreachable one of three managers',
      [{ ...manager, state: 'down', manager: { leader: false, reachable: false } }, manager],
      false,
    ],
  ]
  for (const [title, others, isRefused] of groups) {
    test(`${isRefused ? 'refuses to remove' : 'removes'} ${title}${isRefused ? ', even by force' : ''}`, async () => {
      await using testBerth = await startNodesBerth()
      for (const [at, patch] of others.entries()) testBerth.engine.addNode(`node${at + 2}`, patch)
      if (!isRefused) {
        await beginRemoval(testBerth)
        return assert.equal((await untilRemovalEnds(testBerth, 100)).state, 'done')
      }
      for (const force of [false, true]) {
        const { message } = await testBerth.refused('CONFLICT', 'cluster.removeWorker', { nodeId: 'node2', force })
        assert.match(message, /only 1 of 2 managers would be reachable, but the swarm needs 2 .*: node3$/)
      }
    })
  }

  test('ends the removal if it would cost the quorum after the call, and restores the availability', async () => {
    await using testBerth = await startNodesBerth()
    for (const id of ['node2', 'node3']) testBerth.engine.addNode(id, manager)
    await runForeignService(testBerth)
    testBerth.engine.linger('node2', true)
    await beginRemoval(testBerth)
    await testBerth.until('the drain', async () =>
      (await readNode(testBerth))?.availability === 'drain' ? true : null,
    )
    testBerth.engine.setNode('node3', { manager: { leader: false, reachable: false } })
    const deployment = await untilRemovalEnds(testBerth)
    assert.deepEqual([deployment.state, deployment.phase], ['error', 'rollback'])
    assert.match(deployment.reason!, /managers would be reachable.* availability is active again$/)
    const node = await readNode(testBerth)
    assert.deepEqual([node?.availability, node?.role, node?.removal], ['active', 'manager', null])
  })
}

function refusalTests(): void {
  test("refuses to remove the last manager and the node of Berth's own engine, even by force", async () => {
    await using testBerth = await startNodesBerth()
    testBerth.engine.addNode('node2')
    const messages = async () => {
      const refusals = await Promise.all(
        [false, true].map((force) => testBerth.refused('CONFLICT', 'cluster.removeWorker', { nodeId: 'node1', force })),
      )
      return refusals.map(({ message }) => message).join('\n')
    }
    assert.match(await messages(), /memory is the last manager of the swarm.*cluster\.addManager/)
    testBerth.engine.setNode('node2', manager)
    assert.match(await messages(), /memory is the node that Berth's own engine runs on.*DOCKER_HOST/)
  })

  test('refuses to remove a node with data unless forced, and names the data', async () => {
    await using testBerth = await startNodesBerth()
    testBerth.engine.addNode('node2')
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await pinTo(testBerth, databaseClients, 'node2')
    const volume = await createKeptVolume(testBerth, databaseClients, 'node2')
    const { message } = await testBerth.refused('CONFLICT', 'cluster.removeWorker', { nodeId: 'node2' })
    for (const name of [up.appName, volume.appName]) assert.ok(message.includes(name), message)
    assert.match(message, /force: true to lose the data permanently/)
    await testBerth.refused('BAD_REQUEST', 'cluster.removeWorker', { nodeId: '' }, 'nodeId')
    await testBerth.refused('BAD_REQUEST', 'cluster.removeWorker', { nodeId: 'node2', force: 1 }, 'force')
  })

  test('refuses changes of a node that is being removed, and places no database on it', async () => {
    await using testBerth = await startNodesBerth()
    testBerth.engine.addNode('node2')
    const databaseClients = databaseClientsOf(testBerth, kind)
    await waitForNode(testBerth, 'node2')
    await runForeignService(testBerth)
    testBerth.engine.linger('node2', true)
    await beginRemoval(testBerth)
    for (const force of [false, true]) {
      const again = await testBerth.call<Failure>('cluster.removeWorker', { nodeId: 'node2', force })
      assert.deepEqual([again.status, /already being removed/.test(again.body.message)], [409, true])
    }
    const { status } = await testBerth.call('cluster.updateNode', { nodeId: 'node2', availability: 'active' })
    assert.equal(status, 409)
    const { status: deployed, body } = await databaseClients.call(
      'deploy',
      await databaseClients.create({ node: 'node2' }),
      {},
      wait,
    )
    assert.equal(deployed, 422)
    assert.match(
      body.message,
      /node2, which this service requires, is not in the swarm, or is being drained or removed/,
    )
    assert.equal((await databaseClients.createDeployed()).node, 'memory')
  })

  test('refuses a removal without the engine, and records nothing', async () => {
    await using testBerth = await startNodesBerth()
    testBerth.engine.addNode('node2')
    await waitForNode(testBerth, 'node2')
    testBerth.engine.setDown(true)
    await testBerth.refused('SERVICE_UNAVAILABLE', 'cluster.removeWorker', { nodeId: 'node2' })
    await testBerth.refused('NOT_FOUND', 'cluster.removeWorker', { nodeId: 'nobody' })
  })
}

function forceTests(): void {
  test('puts the databases of a node removed by force into error, and never starts them on another node', async () => {
    await using testBerth = await startNodesBerth()
    testBerth.engine.addNode('node2', { hostname: 'second' })
    const databaseClients = databaseClientsOf(testBerth, kind)
    const other = await pinTo(testBerth, databaseClients, 'node1')
    const [up, stopped] = [
      await pinTo(testBerth, databaseClients, 'node2'),
      await pinTo(testBerth, databaseClients, 'node2'),
    ]
    await databaseClients.complete('stop', stopped)
    const volume = await createKeptVolume(testBerth, databaseClients, 'node2')
    const { lost } = await beginRemoval(testBerth, { force: true })
    assert.equal(lost.length, 3)
    for (const { appName } of [up, stopped, volume]) assert.ok(lost.some((text) => text.includes(appName)))
    const deployment = await untilRemovalEnds(testBerth)
    assert.equal(deployment.state, 'done')
    assert.match(deployment.reason!, new RegExp(`^Lost with the node: .*${up.appName}`))
    for (const database of [up, stopped]) {
      const failed = await waitForRecord(
        testBerth,
        databaseClients,
        database,
        (row) => row.applicationStatus === 'error',
      )
      assert.match(failed.statusReason!, /^(?:The data was on node|Node) second.* Restore a backup/)
    }
    const turns = testBerth.engine.calls.services
    testBerth.pass(120_000)
    await testBerth.until('more turns', async () => (testBerth.engine.calls.services > turns + 2 ? true : null))
    assert.match(
      (await databaseClients.one(up)).statusReason!,
      /^Node second .* is not in the swarm any more\. Restore a backup/,
    )
    assert.equal(testBerth.engine.specOf(up.appName)?.nodeId, 'node2')
    assert.ok((await testBerth.engine.tasks([up.appName])).every(({ state }) => state !== 'running'))
    assert.equal((await databaseClients.one(other)).applicationStatus, 'done')
    // The database and the volume can be removed without the node.
    await databaseClients.remove(up, { removeData: true })
    await testBerth.ok('volume.remove', { volumeId: volume.volumeId }, wait)
    assert.deepEqual((await testBerth.everything()).volume!.length, 2)
  })
}
