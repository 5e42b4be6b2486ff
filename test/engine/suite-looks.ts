/** The part of the engine suite about queries: logs and resource usage. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { EngineFailure } from '../../src/engine/engine.ts'
import type { LogLine, LogOptions } from '../../src/engine/engine.ts'
import { createRunning, gone, running, specOf } from './bench.ts'
import type { Bench } from './bench.ts'
import { until } from './until.ts'

const all: LogOptions = { tail: 100, since: null, follow: false }
const never = new AbortController().signal

const refused = (error: unknown) => error instanceof EngineFailure

/** All lines, after waiting for at least `count` of them: the engine takes a moment. */
async function linesOf({ engine }: Bench, name: string, count: number, asked: Partial<LogOptions> = {}) {
  const read = async () => Array.fromAsync(await engine.logs(name, { ...all, ...asked }, never))
  await until(
    `${count} lines of ${name}`,
    async () => (await Array.fromAsync(await engine.logs(name, all, never))).length >= count,
  )
  return read()
}

const text = (lines: LogLine[]) => lines.map(({ line }) => line)

/** Collects lines until the end; `heard` waits for a number of them. */
async function listen(t: TestContext, { engine }: Bench, name: string, asked: Partial<LogOptions> = {}) {
  const stop = new AbortController()
  t.after(() => stop.abort())
  const lines: LogLine[] = []
  const stream = await engine.logs(name, { ...all, follow: true, ...asked }, stop.signal)
  const over = (async () => {
    for await (const line of stream) lines.push(line)
  })()
  const heard = (count: number) => until(`${count} lines`, async () => lines.length >= count)
  return { lines, stop, over, heard }
}

const odd = `two ü 😀 "quoted" \u001b[31mred\u001b[0m \\ $HOME \t%s`

export function logTests(bench: () => Bench): void {
  test('reads lines in order, each with its time and stream', async (t) => {
    const task = await createRunning(t, bench(), specOf(bench()))
    const { serviceName: name } = task
    const said: [string, 'stdout' | 'stderr'][] = [
      ['one', 'stdout'],
      [odd, 'stderr'],
      ['', 'stdout'],
      ['x'.repeat(40_000) + 'ü'.repeat(20_000), 'stdout'],
    ]
    for (const [at, [line, stream]] of said.entries()) {
      await bench().say(task, line, stream)
      await linesOf(bench(), name, at + 1)
    }
    const lines = await linesOf(bench(), name, 4)
    assert.deepEqual(
      lines.map(({ line, stream }) => [line, stream]),
      said,
    )
    assert.ok(lines.every(({ at }) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/.test(at)))
    assert.deepEqual(
      lines.map(({ at }) => at),
      lines.map(({ at }) => at).toSorted(),
    )
    assert.deepEqual(await linesOf(bench(), name, 4, { tail: 2 }), lines.slice(2))
    assert.deepEqual(await linesOf(bench(), name, 4, { since: lines[1]!.at }), lines.slice(1))
    assert.deepEqual(await linesOf(bench(), name, 4, { since: lines[1]!.at, tail: 1 }), lines.slice(3))
    assert.deepEqual(await linesOf(bench(), name, 4, { since: '2100-01-01T00:00:00.000000000Z' }), [])
  })

  test('follows existing and new lines until aborted', async (t) => {
    const { engine } = bench()
    const spec = specOf(bench())
    const task = await createRunning(t, bench(), spec)
    for (const line of ['one', 'two', 'three']) await bench().say(task, line, 'stdout')
    await linesOf(bench(), spec.name, 3)
    const { lines, stop, over, heard } = await listen(t, bench(), spec.name, { tail: 2 })
    await heard(2)
    for (const line of ['four', 'five']) await bench().say(task, line, 'stderr')
    await heard(4)
    await engine.updateService({ ...spec, restarts: 1 })
    const next = await until('another container', async () => {
      const now = await running(engine, spec.name)
      return now.id === task.id ? null : now
    })
    await bench().say(next, 'six', 'stdout')
    await heard(5)
    assert.deepEqual(text(lines), ['two', 'three', 'four', 'five', 'six'])
    stop.abort()
    await over
    assert.equal(lines.length, 5)
  })

  test('ends following when the service is removed', async (t) => {
    const spec = specOf(bench())
    const task = await createRunning(t, bench(), spec)
    const { lines, over, heard } = await listen(t, bench(), spec.name)
    await bench().say(task, 'one', 'stdout')
    await heard(1)
    await gone(bench().engine, spec.name)
    await over
    assert.equal(lines[0]?.line, 'one')
  })

  test("returns no lines for an unknown or someone else's service", async (t) => {
    const { engine, stranger } = bench()
    const spec = specOf(bench(), { args: ['sh', '-c', 'echo secret; sleep 1000'] })
    t.after(() => stranger.removeService(spec.name))
    await stranger.createService(spec)
    for (const name of ['nobody', spec.name]) {
      for (const follow of [false, true]) {
        assert.deepEqual(await Array.fromAsync(await engine.logs(name, { ...all, follow }, never)), [])
      }
    }
  })
}

export function usageTests(bench: () => Bench): void {
  test('reports the resource usage of a running container', async (t) => {
    const { engine } = bench()
    const memoryLimitBytes = 256 * 1024 * 1024
    const tasks = await Promise.all([
      createRunning(t, bench(), specOf(bench(), { memoryLimitBytes })),
      createRunning(t, bench(), specOf(bench())),
    ])
    const [limited, free] = await Promise.all(tasks.map((task) => engine.stats(task)))
    for (const usage of [limited!, free!]) {
      assert.ok(usage.cpuCores >= 0 && usage.cpuCores < 64, String(usage.cpuCores))
      assert.ok(usage.memoryBytes > 10_000 && usage.memoryBytes < memoryLimitBytes, String(usage.memoryBytes))
      assert.match(usage.startedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    }
    assert.deepEqual([limited!.memoryLimitBytes, free!.memoryLimitBytes], [memoryLimitBytes, null])
  })

  test('refuses the usage of a container that is gone, or on another node', async (t) => {
    const { engine } = bench()
    const spec = specOf(bench())
    const task = await createRunning(t, bench(), spec)
    const other = { ...task, nodeId: 'another-node', containerId: 'not-here' }
    await assert.rejects(engine.stats(other), (error: unknown) => refused(error) && /another-node/.test(String(error)))
    await gone(engine, spec.name)
    await assert.rejects(
      engine.stats(task),
      (error: unknown) => error instanceof EngineFailure && ['missing', 'conflict'].includes(error.reason),
    )
    await assert.rejects(engine.stats({ ...task, containerId: null }), refused)
  })
}
