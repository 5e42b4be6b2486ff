/** Databases on an unavailable node, and their recovery. Runs on the in-memory engine. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DeploymentReason } from '../../src/deployments/reason.ts'
import { fromJson, type Json } from '../../src/lib/json.ts'
import { kinds } from '../../src/kinds/index.ts'
import { specOf } from '../fixtures/samples.ts'
import { type Database, databaseClientsOf, seen } from '../fixtures/database-clients.ts'
import { type Input, type TestBerth, startTestBerth, wait } from '../fixtures/test-berth.ts'

const kind = kinds[0]!
const far = 'far'
const isDown = /^Node far \(192\.0\.2\.20\), which holds the volume, is down/

/** Creates a database that runs on another node than Berth's. */
async function openFar() {
  const testBerth = await startTestBerth()
  testBerth.engine.addNode(far, { address: '192.0.2.20' })
  testBerth.engine.setNode('node1', { availability: 'pause' })
  const databaseClients = databaseClientsOf(testBerth, kind)
  const up = await databaseClients.up()
  testBerth.engine.setNode('node1', { availability: 'active' })
  assert.equal(up.node, far)
  const back = () => testBerth.engine.setNode(far, { state: 'ready' })
  return { testBerth, databaseClients, up, back, lose, [Symbol.asyncDispose]: () => testBerth.close() }

  /** Returns the record once the loss is observed. */
  async function lose(how: Parameters<TestBerth['engine']['setNode']>[1] = { state: 'down' }): Promise<Database> {
    testBerth.engine.setNode(far, how)
    return seen(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus === 'error')
  }
}

const workOf = async (testBerth: TestBerth) => (await testBerth.everything()).deployment!
/** The stored row. */
const reasonOf = async (testBerth: TestBerth) =>
  fromJson((await workOf(testBerth)).at(-1)!.reason as Json<DeploymentReason> | null)

// The watch loop runs at most once a second: the tests of this file run concurrently.
describe('an unavailable node', { concurrency: true }, () => {
  lossTests()
  callTests()
  volumeTests()
})

function lossTests(): void {
  const losses: [title: string, how: Parameters<TestBerth['engine']['setNode']>[1], reason: RegExp][] = [
    ['that is down', { state: 'down' }, isDown],
    ['that is drained', { availability: 'drain' }, /^Node far \(192\.0\.2\.20\), which holds the volume, is drained$/],
  ]
  for (const [title, how, reason] of losses) {
    test(`fences a database of a node ${title}, names the node, and recovers when it is back`, async () => {
      await using it = await openFar()
      const { testBerth, databaseClients, up } = it
      const lost = await it.lose(how)
      assert.match(lost.statusReason!, reason)
      assert.deepEqual([lost.drift, lost.containerState], [[lost.statusReason], 'unknown'])
      assert.deepEqual(lost.driftCodes, [lost.statusCode])
      assert.equal(testBerth.engine.specOf(up.appName)!.replicas, 0)
      testBerth.engine.setNode(far, { state: 'ready', availability: 'active' })
      const again = await seen(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus === 'done')
      assert.deepEqual([again.statusReason, again.drift, again.containerState], [null, [], 'running'])
      assert.deepEqual([...testBerth.engine.volumes], [up.volume])
      assert.deepEqual(
        (await workOf(testBerth)).map(({ action, state }) => [action, state]),
        [
          ['deploy', 'done'],
          ['repair', 'done'],
        ],
      )
    })
  }

  test('starts no second server while the previous one still ends', async () => {
    await using it = await openFar()
    const { testBerth, databaseClients, up } = it
    testBerth.engine.linger(far, true)
    await it.lose()
    it.back()
    await seen(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus === 'running')
    const engineQueries = testBerth.engine.calls.servicesNamed
    await testBerth.until('three looks', async () => testBerth.engine.calls.servicesNamed > engineQueries + 3 || null)
    assert.equal(testBerth.engine.specOf(up.appName)!.replicas, 0)
    assert.equal((await testBerth.engine.liveContainers(up.appName)).length, 1)
    testBerth.engine.linger(far, false)
    await seen(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus === 'done')
    assert.equal((await testBerth.engine.liveContainers(up.appName)).length, 1)
  })

  test('keeps a status that is set in the meantime', async () => {
    await using it = await openFar()
    await it.lose()
    await it.databaseClients.act('changeStatus', it.up, { applicationStatus: 'idle' })
    const engineQueries = it.testBerth.engine.calls.services
    await it.testBerth.until('two looks', async () => it.testBerth.engine.calls.services >= engineQueries + 3 || null)
    assert.equal((await it.databaseClients.one(it.up)).applicationStatus, 'idle')
  })

  test('reports no loss while the manager does not know its nodes yet', async () => {
    await using it = await openFar()
    const { testBerth, databaseClients, up } = it
    const engineQueries = testBerth.engine.calls.services
    testBerth.engine.setNode('node1', { state: 'unknown' })
    await testBerth.until('two looks', async () => testBerth.engine.calls.services >= engineQueries + 3 || null)
    assert.equal((await databaseClients.one(up)).applicationStatus, 'done')
    assert.equal(testBerth.engine.specOf(up.appName)!.replicas, 1)
  })
}

function callTests(): void {
  test('refuses a deploy with 422, names the node, and creates nothing elsewhere', async () => {
    await using it = await openFar()
    const { testBerth, databaseClients, up } = it
    await it.lose()
    const { status, body } = await databaseClients.ask('deploy', up, {}, wait)
    assert.equal(status, 422)
    assert.match(body.message, isDown)
    assert.deepEqual([...testBerth.engine.volumes], [up.volume])
    it.back()
    await seen(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus === 'done')
  })

  test('reports what a stop waits for until the node is back', async () => {
    await using it = await openFar()
    const { testBerth, databaseClients, up } = it
    await it.lose()
    await databaseClients.act('stop', up)
    testBerth.pass(5000)
    const waiting = await seen(testBerth, databaseClients, up, ({ statusCode }) => statusCode === 'StopUnconfirmed')
    assert.equal(waiting.applicationStatus, 'running')
    assert.match(waiting.statusReason!, isDown)
    it.back()
    const idle = await seen(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus === 'idle')
    assert.equal(idle.statusReason, null)
  })

  test('reports what a removal with data waits for until the node is back', async () => {
    await using it = await openFar()
    const { testBerth, databaseClients, up } = it
    await it.lose()
    await databaseClients.act('remove', up, { removeData: true })
    testBerth.pass(5000)
    const waiting = await testBerth.until('the reason', async () => {
      const last = (await workOf(testBerth)).at(-1)!
      return last.reason === null ? null : last
    })
    assert.equal(waiting.state, 'running')
    const cause = { reason: 'NodeDown', node: far, address: '192.0.2.20' }
    assert.deepEqual(await reasonOf(testBerth), { reason: 'StopUnconfirmed', cause })
    assert.deepEqual([...testBerth.engine.volumes], [up.volume])
    it.back()
    await testBerth.until('its end', async () => (await workOf(testBerth)).at(-1)!.state === 'done' || null)
    assert.deepEqual([[...testBerth.engine.volumes], (await testBerth.everything()).database], [[], []])
  })
}

function volumeTests(): void {
  /** Creates a kept volume on the other node. */
  async function keep({ testBerth, databaseClients, up }: Awaited<ReturnType<typeof openFar>>): Promise<string> {
    await databaseClients.gone(up)
    return (await testBerth.ok<Input[]>('volume.all'))[0]!.volumeId as string
  }

  test('removes a volume once its node is back', async () => {
    await using it = await openFar()
    const volumeId = await keep(it)
    it.testBerth.engine.setNode(far, { state: 'down' })
    await it.testBerth.ok('volume.remove', { volumeId })
    const waiting = await it.testBerth.until('the reason', async () => {
      const last = (await workOf(it.testBerth)).at(-1)!
      return last.reason === null ? null : last
    })
    assert.deepEqual([waiting.state, it.testBerth.engine.volumes.size], ['running', 1])
    const detail = 'Node far (192.0.2.20) is down'
    assert.deepEqual(await reasonOf(it.testBerth), { reason: 'EngineFailed', failure: 'nodeUnreachable', detail })
    it.testBerth.pass(3600_000)
    it.back()
    await it.testBerth.until('its end', async () => (await workOf(it.testBerth)).at(-1)!.state === 'done' || null)
    assert.deepEqual([[...it.testBerth.engine.volumes], await it.testBerth.ok('volume.all')], [[], []])
    assert.equal((await workOf(it.testBerth)).at(-1)!.reason, null)
  })

  test('removes a volume once the last container on its returned node has ended', async () => {
    await using it = await openFar()
    const { testBerth } = it
    const volumeId = await keep(it)
    const name = [...testBerth.engine.volumes][0]!
    const mounts = [{ type: 'volume' as const, path: '/data', name, sizeBytes: 0, labels: {} }]
    await testBerth.engine.createService(specOf({ name: 'by-hand', mounts, nodeId: far }))
    testBerth.engine.setNode(far, { state: 'down' })
    await testBerth.ok('volume.remove', { volumeId })
    await testBerth.until('the reason', async () => (await workOf(testBerth)).at(-1)!.reason)
    testBerth.pass(3600_000)
    it.back()
    await testBerth.until('it to be tried', async () => (await reasonOf(testBerth))?.reason === 'VolumeInUse' || null)
    await testBerth.engine.removeService('by-hand')
    await testBerth.until('its end', async () => (await workOf(testBerth)).at(-1)!.state === 'done' || null)
    assert.deepEqual([...testBerth.engine.volumes], [])
  })

  test('removes only the record of a volume whose node left the swarm, and reports that', async () => {
    await using it = await openFar()
    const volumeId = await keep(it)
    it.testBerth.engine.takeNode(far)
    await it.testBerth.ok('volume.remove', { volumeId }, wait)
    assert.deepEqual(await it.testBerth.ok('volume.all'), [])
    assert.equal((await workOf(it.testBerth)).at(-1)!.state, 'done')
    assert.deepEqual(await reasonOf(it.testBerth), { reason: 'VolumeNodeMissing', node: far })
  })
}
