/** The part of the engine suite about nodes, limited to what does not harm the engine's own node. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineFailure } from '../../src/engine/engine.ts'
import type { FoundNode } from '../../src/engine/node.ts'
import { createRunning, gone, specOf } from './bench.ts'
import type { Bench } from './bench.ts'
import { until } from './until.ts'

const own = async ({ engine, nodeId }: Bench): Promise<FoundNode> =>
  (await engine.nodes()).find(({ id }) => id === nodeId) ?? assert.fail('the own node is not among them')

export function nodeTests(bench: () => Bench): void {
  test('lists the own node as a manager with its properties', async () => {
    const node = await own(bench())
    assert.deepEqual([node.role, node.availability, node.state, node.local], ['manager', 'active', 'ready', true])
    assert.deepEqual(node.manager, { leader: true, reachable: true })
    assert.match(node.engineVersion, /^\d+\.\d+/)
    assert.ok(node.hostname.length > 0 && node.cpuCores >= 0.1 && node.memoryBytes > 1024 ** 2, JSON.stringify(node))
  })

  test('gives separate join tokens for workers and managers, and the address of the swarm', async () => {
    const { engine } = bench()
    const { address, engineVersion } = await own(bench())
    const [worker, manager] = [await engine.joining('worker'), await engine.joining('manager')]
    for (const it of [worker, manager]) {
      assert.match(it.token, /^SWMTKN-1-[0-9a-z]{50}-[0-9a-z]{25}$/)
      assert.deepEqual([it.address, it.engineVersion], [`${address}:2377`, engineVersion])
    }
    assert.notEqual(worker.token, manager.token)
    await engine.rotateToken('worker')
    const rotated = await engine.joining('worker')
    assert.notEqual(rotated.token, worker.token)
    assert.deepEqual({ ...rotated, token: '' }, { ...worker, token: '' })
    assert.deepEqual(await engine.joining('manager'), manager)
  })

  test('replaces all labels, and keeps fields that a change does not name', async (t) => {
    const { engine, nodeId } = bench()
    const before = await own(bench())
    t.after(() => engine.updateNode(nodeId, { labels: before.labels, availability: 'active' }))
    const labels = { 'berth.try': 'a b', other: '' }
    await engine.updateNode(nodeId, { labels })
    assert.deepEqual(await own(bench()), { ...before, labels })
    await engine.updateNode(nodeId, { availability: 'pause' })
    assert.deepEqual(await own(bench()), { ...before, labels, availability: 'pause', active: false })
    await engine.updateNode(nodeId, { availability: 'active', labels: {} })
    assert.deepEqual(await own(bench()), { ...before, labels: {} })
  })

  test('lists the tasks on a node until they have ended', async (t) => {
    const { engine, nodeId } = bench()
    const task = await createRunning(t, bench(), specOf(bench()))
    const find = async () => (await engine.tasksOn(nodeId)).find(({ id }) => id === task.id)
    assert.deepEqual(await find(), task)
    assert.deepEqual(await engine.tasksOn('no-such-node'), [])
    await gone(engine, task.serviceName)
    await until('its end', async () => (await find()) === undefined)
  })

  test('refuses to demote or remove the last manager, even by force', async () => {
    const { engine, nodeId } = bench()
    const refused = (error: unknown) => error instanceof EngineFailure && error.reason === 'rejected'
    const before = await own(bench())
    await assert.rejects(engine.updateNode(nodeId, { role: 'worker' }), refused)
    for (const force of [false, true]) await assert.rejects(engine.removeNode(nodeId, force), refused)
    assert.deepEqual(await own(bench()), before)
  })

  test('refuses to change an unknown node, and removes it without an error', async () => {
    const { engine } = bench()
    await assert.rejects(
      engine.updateNode('no-such-node', { availability: 'drain' }),
      (error: unknown) => error instanceof EngineFailure && error.reason === 'missing',
    )
    await engine.removeNode('no-such-node', true)
  })
}
