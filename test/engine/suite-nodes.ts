/** The part of the engine suite about nodes. Does not disrupt the engine's own node. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FoundNode } from '../../src/engine/node.ts'
import { engineFailure } from './engine-failure.ts'
import { createRunning, removeAndWait, specOf } from './engine-fixture.ts'
import type { EngineFixture } from './engine-fixture.ts'
import { until } from './until.ts'

const ownNode = async ({ engine, nodeId }: EngineFixture): Promise<FoundNode> =>
  (await engine.nodes()).find(({ id }) => id === nodeId) ?? assert.fail('the own node is missing')

export function nodeTests(fixture: () => EngineFixture): void {
  test('lists the own node as a manager with its properties', async () => {
    const node = await ownNode(fixture())
    assert.deepEqual([node.role, node.availability, node.state, node.local], ['manager', 'active', 'ready', true])
    assert.deepEqual(node.manager, { leader: true, reachable: true })
    assert.match(node.engineVersion, /^\d+\.\d+/)
    assert.ok(node.hostname.length > 0 && node.cpuCores >= 0.1 && node.memoryBytes > 1024 ** 2, JSON.stringify(node))
  })

  test('returns separate join tokens for workers and managers, and the address of the swarm', async () => {
    const { engine } = fixture()
    const { address, engineVersion } = await ownNode(fixture())
    const [worker, manager] = [await engine.joinParameters('worker'), await engine.joinParameters('manager')]
    for (const joinParameters of [worker, manager]) {
      assert.match(joinParameters.token, /^SWMTKN-1-[0-9a-z]{50}-[0-9a-z]{25}$/)
      assert.deepEqual([joinParameters.address, joinParameters.engineVersion], [`${address}:2377`, engineVersion])
    }
    assert.notEqual(worker.token, manager.token)
    await engine.rotateToken('worker')
    const rotated = await engine.joinParameters('worker')
    assert.notEqual(rotated.token, worker.token)
    assert.deepEqual({ ...rotated, token: '' }, { ...worker, token: '' })
    assert.deepEqual(await engine.joinParameters('manager'), manager)
  })

  test('stores who is in charge, and refuses a change by a process that has not read the newest version', async () => {
    const { engine } = fixture()
    const isConflict = engineFailure('conflict')
    assert.equal(await engine.readCharge(), null)
    const [first, second] = ['first', 'second'].map((process) => ({
      process,
      place: 'a place',
      host: 'web-1',
      since: '2030-01-01T00:00:00.000Z',
    }))
    await engine.writeCharge(first!, null)
    const { version, ...found } = (await engine.readCharge())!
    assert.deepEqual(found, first)
    await assert.rejects(engine.writeCharge(second!, null), isConflict)
    await engine.writeCharge(second!, version)
    await assert.rejects(engine.writeCharge(first!, version), isConflict)
    // Removes leftovers, of which this is not one.
    await engine.prepare()
    assert.equal((await engine.readCharge())?.process, 'second')
  })

  test('replaces all labels, and keeps fields that a change does not name', async (t) => {
    const { engine, nodeId } = fixture()
    const before = await ownNode(fixture())
    t.after(() => engine.updateNode(nodeId, { labels: before.labels, availability: 'active' }))
    const labels = { 'berth.test': 'a b', other: '' }
    await engine.updateNode(nodeId, { labels })
    assert.deepEqual(await ownNode(fixture()), { ...before, labels })
    await engine.updateNode(nodeId, { availability: 'pause' })
    assert.deepEqual(await ownNode(fixture()), { ...before, labels, availability: 'pause', active: false })
    await engine.updateNode(nodeId, { availability: 'active', labels: {} })
    assert.deepEqual(await ownNode(fixture()), { ...before, labels: {} })
  })

  test('lists the tasks on a node until they end', async (t) => {
    const { engine, nodeId } = fixture()
    const task = await createRunning(t, fixture(), specOf(fixture()))
    const find = async () => (await engine.tasksOn(nodeId)).find(({ id }) => id === task.id)
    assert.deepEqual(await find(), task)
    assert.deepEqual(await engine.tasksOn('no-such-node'), [])
    await removeAndWait(engine, task.serviceName)
    await until('the end of the task', async () => (await find()) === undefined)
  })

  test('refuses to demote or remove the last manager, even by force', async () => {
    const { engine, nodeId } = fixture()
    const isRejected = engineFailure('rejected')
    const before = await ownNode(fixture())
    await assert.rejects(engine.updateNode(nodeId, { role: 'worker' }), isRejected)
    for (const force of [false, true]) await assert.rejects(engine.removeNode(nodeId, force), isRejected)
    assert.deepEqual(await ownNode(fixture()), before)
  })

  test('refuses to change an unknown node, and removes it without an error', async () => {
    const { engine } = fixture()
    await assert.rejects(engine.updateNode('no-such-node', { availability: 'drain' }), engineFailure('missing'))
    await engine.removeNode('no-such-node', true)
  })
}
