/** The part of the engine suite about tasks: programs in their containers, and failures. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Mount } from '../../src/engine/spec.ts'
import { engineFailure } from './engine-failure.ts'
import { create, createRunning, removeAndWait, running, sharedTask, specOf, taskWith } from './engine-fixture.ts'
import type { EngineFixture } from './engine-fixture.ts'
import { until } from './until.ts'

export function programTests(fixture: () => EngineFixture): void {
  test('runs a program with its arguments, environment and input uninterpreted', async () => {
    const { engine } = fixture()
    const task = await sharedTask(fixture())
    const odd = `a'b"c $(id) \`id\` \\ ; & | ü \u0001 %s`
    const run = (argv: string[], env: Record<string, string> = {}, stdin?: string) =>
      engine.run(task, stdin === undefined ? { argv, env } : { argv, env, stdin }, 10_000)

    assert.deepEqual(await run(['printf', '%s', odd]), { exitCode: 0, stdout: odd, stderr: '' })
    assert.deepEqual(await run(['printenv', 'ODD'], { ODD: odd, OTHER: '' }), {
      exitCode: 0,
      stdout: `${odd}\n`,
      stderr: '',
    })
    const lines = `${odd}\n\n'last' line`
    assert.deepEqual(await run(['cat'], {}, lines), { exitCode: 0, stdout: lines, stderr: '' })
    assert.deepEqual(await run(['cat'], {}, ''), { exitCode: 0, stdout: '', stderr: '' })
    assert.deepEqual(await run(['sh', '-c', 'echo out; echo err >&2; exit 7']), {
      exitCode: 7,
      stdout: 'out\n',
      stderr: 'err\n',
    })
  })

  test('returns exit code 124 after the timeout of a program', async () => {
    const { engine } = fixture()
    const task = await sharedTask(fixture())
    const outcome = await engine.run(task, { argv: ['sleep', '5'], env: {} }, 100)
    assert.equal(outcome.exitCode, 124)
    assert.match(outcome.stderr, /Not finished within 100 ms/)
  })

  test('refuses to run a program in a removed container, and to measure it', async (t) => {
    const { engine } = fixture()
    const spec = specOf(fixture())
    const task = await createRunning(t, fixture(), spec)
    await removeAndWait(engine, spec.name)
    await assert.rejects(engine.run(task, { argv: ['true'], env: {} }, 5000), engineFailure(['missing', 'conflict']))
    await assert.rejects(engine.stats(task), engineFailure(['missing', 'conflict']))
  })
}

export function clearanceTests(fixture: () => EngineFixture): void {
  test('runs the task of a server that answers when the server was cleared, and later tasks at once', async (t) => {
    const { engine } = fixture()
    const { name } = specOf(fixture())
    const volume: Mount = { type: 'volume', path: '/data', name, sizeBytes: 0, labels: {} }
    const spec = specOf(fixture(), { mounts: [volume] })
    t.after(() => engine.removeVolume(name, spec.nodeId).catch(() => undefined))
    const waiting = fixture().withBehaviour(spec, 'waits for its clearance')
    await create(t, fixture(), waiting)
    const task = await taskWith(engine, spec.name, (it) => it.state === 'starting' && it.containerId !== null)
    const answers = () => engine.awaitAnswer(task, 1).catch(() => null)
    await until('an answer', async () => (await answers()) !== null)
    assert.deepEqual(
      (await engine.tasks([spec.name])).map(({ state }) => state),
      ['starting'],
    )
    assert.equal(await engine.clear(task, '/data', 'a mark'), 'a mark')
    await running(engine, spec.name)
    await engine.updateService({ ...waiting, restarts: 1 })
    await taskWith(engine, spec.name, (it) => it.state === 'running' && it.id !== task.id)
    await assert.rejects(engine.clear({ ...task, containerId: null }, '/data', null), engineFailure('conflict'))
    await removeAndWait(engine, spec.name)
    await assert.rejects(engine.awaitAnswer(task, 0), engineFailure(['missing', 'conflict']))
  })
}

export function failureTests(fixture: () => EngineFixture): void {
  test('rejects the task of a missing image with a message', async (t) => {
    const spec = specOf(fixture(), { image: 'no-such-image:1' })
    await create(t, fixture(), spec)
    const task = await taskWith(fixture().engine, spec.name, (it) => it.state === 'rejected')
    assert.equal(task.failure?.reason, 'ImageMissing')
    assert.match(task.failure.detail, /No such image: no-such-image:1/)
    assert.deepEqual([task.exitCode, task.containerId], [null, null])
  })

  test('reports the exit code and last lines of a crash, and starts another task', async (t) => {
    const { engine } = fixture()
    const spec = fixture().withBehaviour(specOf(fixture()), 'crashes')
    await create(t, fixture(), spec)
    const task = await taskWith(engine, spec.name, (it) => it.state === 'failed')
    assert.equal(task.exitCode, 3)
    assert.equal(task.failure?.reason, 'Other')
    assert.match(task.failure.detail, /non-zero exit \(3\)/)
    assert.deepEqual(await engine.exitReport(task), { exitCode: 3, outOfMemory: false, lastLines: ['last line'] })
    await taskWith(engine, spec.name, (it) => it.id !== task.id)
  })

  test('reports a lack of memory', async (t) => {
    const { engine } = fixture()
    const spec = fixture().withBehaviour(specOf(fixture(), { memoryLimitBytes: 32 * 1024 * 1024 }), 'exceeds memory')
    await create(t, fixture(), spec)
    // Docker receives the exit and its reason separately. If the exit comes first, the reason may be lost.
    await until(
      'an exit report with a lack of memory',
      async () => {
        const failed = (await engine.tasks([spec.name])).filter(({ state }) => state === 'failed')
        const reports = await Promise.all(failed.map((task) => engine.exitReport(task)))
        return reports.some(({ exitCode, outOfMemory }) => exitCode === 137 && outOfMemory)
      },
      30_000,
    )
  })
}
