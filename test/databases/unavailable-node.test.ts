/** Databases on an unavailable node, and their recovery. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DeploymentReason } from '../../src/deployments/reason.ts'
import { fromJson, type Json } from '../../src/lib/json.ts'
import { kinds } from '../../src/kinds/index.ts'
import { specOf } from '../fixtures/samples.ts'
import { type Database, databaseClientsOf, waitForRecord } from '../fixtures/database-clients.ts'
import { type Input, type TestBerth, startTestBerth, wait } from '../fixtures/test-berth.ts'

const kind = kinds[0]!
const remoteNode = 'far'
const isDown = /^Node far \(192\.0\.2\.20\), which holds the volume, is down/

/** Starts a test Berth with a database that runs on another node than Berth. */
async function openOnRemoteNode() {
  const testBerth = await startTestBerth()
  testBerth.engine.addNode(remoteNode, { address: '192.0.2.20' })
  testBerth.engine.setNode('node1', { availability: 'pause' })
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.createDeployed()
  testBerth.engine.setNode('node1', { availability: 'active' })
  assert.equal(database.node, remoteNode)
  const restoreNode = () => testBerth.engine.setNode(remoteNode, { state: 'ready' })
  return { testBerth, databaseClients, database, restoreNode, loseNode, [Symbol.asyncDispose]: () => testBerth.close() }

  /** Changes the state of the node. Returns the record after Berth observed the change. */
  async function loseNode(patch: Parameters<TestBerth['engine']['setNode']>[1] = { state: 'down' }): Promise<Database> {
    testBerth.engine.setNode(remoteNode, patch)
    return waitForRecord(testBerth, databaseClients, database, ({ applicationStatus }) => applicationStatus === 'error')
  }
}

const workOf = async (testBerth: TestBerth) => (await testBerth.everything()).deployment!
/** Returns the stored reason of the latest work. */
const reasonOf = async (testBerth: TestBerth) =>
  fromJson((await workOf(testBerth)).at(-1)!.reason as Json<DeploymentReason> | null)

// The watch loop runs at most once a second: the tests of this file run concurrently.
describe('an unavailable node', { concurrency: true }, () => {
  lossTests()
  callTests()
  volumeTests()
})

function lossTests(): void {
  const losses: [title: string, patch: Parameters<TestBerth['engine']['setNode']>[1], reason: RegExp][] = [
    ['that is down', { state: 'down' }, isDown],
    ['that is drained', { availability: 'drain' }, /^Node far \(192\.0\.2\.20\), which holds the volume, is drained$/],
  ]
  for (const [title, patch, reason] of losses) {
    test(`fences a database of a node ${title}, names the node, and recovers with the node`, async () => {
      await using context = await openOnRemoteNode()
      const { testBerth, databaseClients, database } = context
      const lost = await context.loseNode(patch)
      assert.match(lost.statusReason!, reason)
      assert.deepEqual([lost.drift, lost.containerState], [[lost.statusReason], 'unknown'])
      assert.deepEqual(lost.driftCodes, [lost.statusCode])
      assert.equal(testBerth.engine.specOf(database.appName)!.replicas, 0)
      testBerth.engine.setNode(remoteNode, { state: 'ready', availability: 'active' })
      const again = await waitForRecord(
        testBerth,
        databaseClients,
        database,
        ({ applicationStatus }) => applicationStatus === 'done',
      )
      assert.deepEqual([again.statusReason, again.drift, again.containerState], [null, [], 'running'])
      assert.deepEqual([...testBerth.engine.volumes], [database.volume])
      assert.deepEqual(
        (await workOf(testBerth)).map(({ action, state }) => [action, state]),
        [
          ['deploy', 'done'],
          ['repair', 'done'],
        ],
      )
    })
  }

  test('starts no second server until the container of the previous server has ended', async () => {
    await using context = await openOnRemoteNode()
    const { testBerth, databaseClients, database } = context
    testBerth.engine.linger(remoteNode, true)
    await context.loseNode()
    context.restoreNode()
    await waitForRecord(
      testBerth,
      databaseClients,
      database,
      ({ applicationStatus }) => applicationStatus === 'running',
    )
    const engineQueries = testBerth.engine.calls.servicesNamed
    await testBerth.until(
      'three engine queries',
      async () => testBerth.engine.calls.servicesNamed > engineQueries + 3 || null,
    )
    assert.equal(testBerth.engine.specOf(database.appName)!.replicas, 0)
    assert.equal((await testBerth.engine.liveContainers(database.appName)).length, 1)
    testBerth.engine.linger(remoteNode, false)
    await waitForRecord(testBerth, databaseClients, database, ({ applicationStatus }) => applicationStatus === 'done')
    assert.equal((await testBerth.engine.liveContainers(database.appName)).length, 1)
  })

  test('keeps a status that changeStatus set during the outage', async () => {
    await using context = await openOnRemoteNode()
    await context.loseNode()
    await context.databaseClients.ok('changeStatus', context.database, { applicationStatus: 'idle' })
    const engineQueries = context.testBerth.engine.calls.services
    await context.testBerth.until(
      'two turns of the loop',
      async () => context.testBerth.engine.calls.services >= engineQueries + 3 || null,
    )
    assert.equal((await context.databaseClients.one(context.database)).applicationStatus, 'idle')
  })

  test('reports no loss while the manager does not know its nodes yet', async () => {
    await using context = await openOnRemoteNode()
    const { testBerth, databaseClients, database } = context
    const engineQueries = testBerth.engine.calls.services
    testBerth.engine.setNode('node1', { state: 'unknown' })
    await testBerth.until(
      'two turns of the loop',
      async () => testBerth.engine.calls.services >= engineQueries + 3 || null,
    )
    assert.equal((await databaseClients.one(database)).applicationStatus, 'done')
    assert.equal(testBerth.engine.specOf(database.appName)!.replicas, 1)
  })
}

function callTests(): void {
  test('fails a deploy with 422, names the node, and creates no volume on another node', async () => {
    await using context = await openOnRemoteNode()
    const { testBerth, databaseClients, database } = context
    await context.loseNode()
    const { status, body } = await databaseClients.call('deploy', database, {}, wait)
    assert.equal(status, 422)
    assert.match(body.message, isDown)
    assert.deepEqual([...testBerth.engine.volumes], [database.volume])
    context.restoreNode()
    await waitForRecord(testBerth, databaseClients, database, ({ applicationStatus }) => applicationStatus === 'done')
  })

  test('reports the unavailable node while a stop waits for it', async () => {
    await using context = await openOnRemoteNode()
    const { testBerth, databaseClients, database } = context
    await context.loseNode()
    await databaseClients.ok('stop', database)
    testBerth.pass(5000)
    const waiting = await waitForRecord(
      testBerth,
      databaseClients,
      database,
      ({ statusCode }) => statusCode === 'StopUnconfirmed',
    )
    assert.equal(waiting.applicationStatus, 'running')
    assert.match(waiting.statusReason!, isDown)
    context.restoreNode()
    const idle = await waitForRecord(
      testBerth,
      databaseClients,
      database,
      ({ applicationStatus }) => applicationStatus === 'idle',
    )
    assert.equal(idle.statusReason, null)
  })

  test('reports the unavailable node while a removal with data waits for it', async () => {
    await using context = await openOnRemoteNode()
    const { testBerth, databaseClients, database } = context
    await context.loseNode()
    await databaseClients.ok('remove', database, { removeData: true })
    testBerth.pass(5000)
    const waiting = await testBerth.until('the reason', async () => {
      const last = (await workOf(testBerth)).at(-1)!
      return last.reason === null ? null : last
    })
    assert.equal(waiting.state, 'running')
    const cause = { reason: 'NodeDown', node: remoteNode, address: '192.0.2.20' }
    assert.deepEqual(await reasonOf(testBerth), { reason: 'StopUnconfirmed', cause })
    assert.deepEqual([...testBerth.engine.volumes], [database.volume])
    context.restoreNode()
    await testBerth.until(
      'the end of the removal',
      async () => (await workOf(testBerth)).at(-1)!.state === 'done' || null,
    )
    assert.deepEqual([[...testBerth.engine.volumes], (await testBerth.everything()).database], [[], []])
  })
}

function volumeTests(): void {
  /** Creates a kept volume on the other node. */
  async function keep({
    testBerth,
    databaseClients,
    database,
  }: Awaited<ReturnType<typeof openOnRemoteNode>>): Promise<string> {
    await databaseClients.remove(database)
    return (await testBerth.ok<Input[]>('volume.all'))[0]!.volumeId as string
  }

  test('removes a volume after its node returned', async () => {
    await using context = await openOnRemoteNode()
    const volumeId = await keep(context)
    context.testBerth.engine.setNode(remoteNode, { state: 'down' })
    await context.testBerth.ok('volume.remove', { volumeId })
    const waiting = await context.testBerth.until('the reason', async () => {
      const last = (await workOf(context.testBerth)).at(-1)!
      return last.reason === null ? null : last
    })
    assert.deepEqual([waiting.state, context.testBerth.engine.volumes.size], ['running', 1])
    const detail = 'Node far (192.0.2.20) is down'
    assert.deepEqual(await reasonOf(context.testBerth), { reason: 'EngineFailed', failure: 'nodeUnreachable', detail })
    context.testBerth.pass(3600_000)
    context.restoreNode()
    await context.testBerth.until(
      'the end of the removal',
      async () => (await workOf(context.testBerth)).at(-1)!.state === 'done' || null,
    )
    assert.deepEqual([[...context.testBerth.engine.volumes], await context.testBerth.ok('volume.all')], [[], []])
    assert.equal((await workOf(context.testBerth)).at(-1)!.reason, null)
  })

  test('removes a volume after the last container on the returned node has ended', async () => {
    await using context = await openOnRemoteNode()
    const { testBerth } = context
    const volumeId = await keep(context)
    const name = [...testBerth.engine.volumes][0]!
    const mounts = [{ type: 'volume' as const, path: '/data', name, sizeBytes: 0, labels: {} }]
    await testBerth.engine.createService(specOf({ name: 'by-hand', mounts, nodeId: remoteNode }))
    testBerth.engine.setNode(remoteNode, { state: 'down' })
    await testBerth.ok('volume.remove', { volumeId })
    await testBerth.until('the reason', async () => (await workOf(testBerth)).at(-1)!.reason)
    testBerth.pass(3600_000)
    context.restoreNode()
    await testBerth.until('the attempt', async () => (await reasonOf(testBerth))?.reason === 'VolumeInUse' || null)
    await testBerth.engine.removeService('by-hand')
    await testBerth.until(
      'the end of the removal',
      async () => (await workOf(testBerth)).at(-1)!.state === 'done' || null,
    )
    assert.deepEqual([...testBerth.engine.volumes], [])
  })

  test('removes the record of a volume whose node left the swarm, and reports the missing node', async () => {
    await using context = await openOnRemoteNode()
    const volumeId = await keep(context)
    context.testBerth.engine.takeNode(remoteNode)
    await context.testBerth.ok('volume.remove', { volumeId }, wait)
    assert.deepEqual(await context.testBerth.ok('volume.all'), [])
    assert.equal((await workOf(context.testBerth)).at(-1)!.state, 'done')
    assert.deepEqual(await reasonOf(context.testBerth), { reason: 'VolumeNodeMissing', node: remoteNode })
  })
}
