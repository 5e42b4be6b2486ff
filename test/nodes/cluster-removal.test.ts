/** The removal of a node: what prevents it, and the reasons reported meanwhile. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { NodePatch } from '../engine/memory/nodes.ts'
import { kinds } from '../../src/kinds/index.ts'
import { begin, ended, kept, manager, nodesOn, pinTo, present, type Removal, runThere, seenNode } from './cluster.ts'
import { databaseClientsOf, seen } from '../fixtures/database-clients.ts'
import { type Failure, startTestBerth, wait } from '../fixtures/test-berth.ts'

const kind = kinds[0]!

// Berth's loop runs at most once a second, so the tests of this file run concurrently.
describe('removing a node', { concurrency: true }, () => {
  removalTests()
  managerTests()
  refusalTests()
  forceTests()
})

function removalTests(): void {
  test('drains, waits for and removes a node, and answers at once', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.addNode('node2', { hostname: 'second' })
    await seenNode(testBerth, 'node2')
    await runThere(testBerth)
    testBerth.engine.linger('node2', true)
    const removal = await begin(testBerth)
    const { deploymentId, reason, reasonCode, ...begun } = removal
    assert.deepEqual(begun, { nodeId: 'node2', hostname: 'second', state: 'running', force: false, lost: [] })
    assert.match(reason!, /about to be drained/)
    assert.equal(reasonCode, 'DrainPending')
    const waiting = await testBerth.until('what is waited for', async () => {
      const node = await present(testBerth)
      return /theirs still there/.test(node?.removal?.reason ?? '') ? node! : null
    })
    assert.deepEqual(
      [waiting.availability, waiting.removal?.deploymentId, waiting.removal?.force],
      ['drain', deploymentId, false],
    )
    assert.match(waiting.removal!.reason!, /1 container of theirs/)
    assert.equal(waiting.removal!.reasonCode, 'TasksOnNode')
    assert.equal(testBerth.engine.calls.removeNode, 0)
    testBerth.engine.linger('node2', false)
    const done = await ended(testBerth)
    assert.deepEqual(
      [done.state, done.nodeId, done.serviceId, done.appName, done.reason],
      ['done', 'node2', null, 'second', null],
    )
    assert.equal(await present(testBerth), undefined)
    assert.deepEqual(await testBerth.app.db.selectFrom('node').select('id').execute(), [{ id: 'node1' }])
    await testBerth.refused('NOT_FOUND', 'cluster.removeWorker', { nodeId: 'node2' })
  })

  test('answers when the node is gone with Prefer: wait', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.addNode('node2')
    const { status, body, headers } = await testBerth.call<Removal>('cluster.removeWorker', { nodeId: 'node2' }, wait)
    assert.deepEqual([status, headers['preference-applied']], [200, wait.prefer])
    assert.deepEqual([body.nodeId, body.state, body.reason, body.lost], ['node2', 'done', null, []])
    assert.equal(await present(testBerth), undefined)
  })

  test('does not wait for the tasks of a node that is down', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.addNode('node2')
    await runThere(testBerth)
    testBerth.engine.setNode('node2', { state: 'down' })
    assert.equal((await testBerth.call('cluster.removeWorker', { nodeId: 'node2' }, wait)).status, 200)
    assert.equal(await present(testBerth), undefined)
  })

  test('finishes the removal of a node that someone else removed meanwhile', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.addNode('node2')
    await runThere(testBerth)
    testBerth.engine.linger('node2', true)
    await begin(testBerth)
    await testBerth.until('the drain', async () => ((await present(testBerth))?.availability === 'drain' ? true : null))
    testBerth.engine.takeNode('node2')
    assert.equal((await ended(testBerth)).state, 'done')
  })
}

function managerTests(): void {
  test('demotes a manager a moment after draining it', async () => {
    await using testBerth = await startTestBerth()
    for (const id of ['node2', 'node3']) testBerth.engine.addNode(id, manager)
    await begin(testBerth)
    await testBerth.until('the drain', async () => ((await present(testBerth))?.availability === 'drain' ? true : null))
    assert.equal((await present(testBerth))?.role, 'manager')
    assert.equal((await ended(testBerth, 100)).state, 'done')
    assert.deepEqual(
      (await nodesOn(testBerth)).map(({ id }) => id),
      ['node1', 'node3'],
    )
  })

  const groups: [title: string, others: NodePatch[], isRefused: boolean][] = [
    ['one of two managers', [manager], false],
    ['one of three, all reachable', [manager, manager], false],
    [
      'one of three, another one not reachable',
      [manager, { ...manager, manager: { leader: false, reachable: false } }],
      true,
    ],
    [
      'the one of three that is not reachable',
      [{ ...manager, state: 'down', manager: { leader: false, reachable: false } }, manager],
      false,
    ],
  ]
  for (const [title, others, isRefused] of groups) {
    test(`${title} ${isRefused ? 'must stay, even by force' : 'can be removed'}`, async () => {
      await using testBerth = await startTestBerth()
      for (const [at, how] of others.entries()) testBerth.engine.addNode(`node${at + 2}`, how)
      if (!isRefused) {
        await begin(testBerth)
        return assert.equal((await ended(testBerth, 100)).state, 'done')
      }
      for (const force of [false, true]) {
        const { message } = await testBerth.refused('CONFLICT', 'cluster.removeWorker', { nodeId: 'node2', force })
        assert.match(message, /only 1 of 2 managers would be reachable, and the swarm needs 2 .*: node3$/)
      }
    })
  }

  test('ends the removal when the quorum is lost after the call, and restores the availability', async () => {
    await using testBerth = await startTestBerth()
    for (const id of ['node2', 'node3']) testBerth.engine.addNode(id, manager)
    await runThere(testBerth)
    testBerth.engine.linger('node2', true)
    await begin(testBerth)
    await testBerth.until('the drain', async () => ((await present(testBerth))?.availability === 'drain' ? true : null))
    testBerth.engine.setNode('node3', { manager: { leader: false, reachable: false } })
    const work = await ended(testBerth)
    assert.deepEqual([work.state, work.phase], ['error', 'rollback'])
    assert.match(work.reason!, /managers would be reachable.* availability is active again$/)
    const node = await present(testBerth)
    assert.deepEqual([node?.availability, node?.role, node?.removal], ['active', 'manager', null])
  })
}

function refusalTests(): void {
  test("refuses to remove the last manager and the node of Berth's own engine, even by force", async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.addNode('node2')
    const words = async () => {
      const said = [false, true].map((force) =>
        testBerth.refused('CONFLICT', 'cluster.removeWorker', { nodeId: 'node1', force }),
      )
      return (await said[0]!).message + (await said[1]!).message
    }
    assert.match(await words(), /memory is the last manager of the swarm.*cluster\.addManager/)
    testBerth.engine.setNode('node2', manager)
    assert.match(await words(), /memory is the node that Berth's own engine stands on.*DOCKER_HOST/)
  })

  test('names the data on the node, and the data that is lost by force', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.addNode('node2')
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await pinTo(testBerth, databaseClients, 'node2')
    const volume = await kept(testBerth, databaseClients, 'node2')
    const { message } = await testBerth.refused('CONFLICT', 'cluster.removeWorker', { nodeId: 'node2' })
    for (const name of [up.appName, volume.appName]) assert.ok(message.includes(name), message)
    assert.match(message, /force: true to lose the data permanently/)
    await testBerth.refused('BAD_REQUEST', 'cluster.removeWorker', { nodeId: '' }, 'nodeId')
    await testBerth.refused('BAD_REQUEST', 'cluster.removeWorker', { nodeId: 'node2', force: 1 }, 'force')
  })

  test('refuses other changes of a node that is being removed, and places nothing there', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.addNode('node2')
    const databaseClients = databaseClientsOf(testBerth, kind)
    await seenNode(testBerth, 'node2')
    await runThere(testBerth)
    testBerth.engine.linger('node2', true)
    await begin(testBerth)
    for (const force of [false, true]) {
      const again = await testBerth.call<Failure>('cluster.removeWorker', { nodeId: 'node2', force })
      assert.deepEqual([again.status, /already being removed/.test(again.body.message)], [409, true])
    }
    const { status } = await testBerth.call('cluster.updateNode', { nodeId: 'node2', availability: 'active' })
    assert.equal(status, 409)
    const { status: deployed, body } = await databaseClients.ask(
      'deploy',
      await databaseClients.create({ node: 'node2' }),
      {},
      wait,
    )
    assert.equal(deployed, 422)
    assert.match(body.message, /node2, on which this service is to be, is not in the swarm or is being removed/)
    assert.equal((await databaseClients.up()).node, 'memory')
  })

  test('refuses a removal without the engine, and records nothing', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.addNode('node2')
    await seenNode(testBerth, 'node2')
    testBerth.engine.setDown(true)
    await testBerth.refused('SERVICE_UNAVAILABLE', 'cluster.removeWorker', { nodeId: 'node2' })
    await testBerth.refused('NOT_FOUND', 'cluster.removeWorker', { nodeId: 'nobody' })
  })
}

function forceTests(): void {
  test('puts the databases of a node removed by force into error, and never starts them empty elsewhere', async () => {
    await using testBerth = await startTestBerth()
    testBerth.engine.addNode('node2', { hostname: 'second' })
    const databaseClients = databaseClientsOf(testBerth, kind)
    const other = await pinTo(testBerth, databaseClients, 'node1')
    const [up, stopped] = [
      await pinTo(testBerth, databaseClients, 'node2'),
      await pinTo(testBerth, databaseClients, 'node2'),
    ]
    await databaseClients.settle('stop', stopped)
    const volume = await kept(testBerth, databaseClients, 'node2')
    const { lost } = await begin(testBerth, { force: true })
    assert.equal(lost.length, 3)
    for (const name of [up.appName, stopped.appName, volume.appName]) assert.ok(lost.some((it) => it.includes(name)))
    const work = await ended(testBerth)
    assert.equal(work.state, 'done')
    assert.match(work.reason!, new RegExp(`^Lost with the node: .*${up.appName}`))
    for (const it of [up, stopped]) {
      const gone = await seen(testBerth, databaseClients, it, ({ applicationStatus }) => applicationStatus === 'error')
      assert.match(gone.statusReason!, /^(?:The data was on node|Node) second.* Restore a backup/)
    }
    const turns = testBerth.engine.calls.services
    testBerth.pass(120_000)
    await testBerth.until('more looks', async () => (testBerth.engine.calls.services > turns + 2 ? true : null))
    assert.match(
      (await databaseClients.one(up)).statusReason!,
      /^Node second .* is not in the swarm any more\. Restore a backup/,
    )
    assert.equal(testBerth.engine.specOf(up.appName)?.nodeId, 'node2')
    assert.ok((await testBerth.engine.tasks([up.appName])).every(({ state }) => state !== 'running'))
    assert.equal((await databaseClients.one(other)).applicationStatus, 'done')
    // Their remains can be removed without the node.
    await databaseClients.gone(up, { removeData: true })
    await testBerth.ok('volume.remove', { volumeId: volume.volumeId }, wait)
    assert.deepEqual((await testBerth.everything()).volume!.length, 2)
  })
}
