/** The part of the engine suite about queries of logs and resource usage. */
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { LogLine, LogOptions } from '../../src/engine/engine.ts'
import { engineFailure } from './engine-failure.ts'
import { createRunning, removeAndWait, running, sharedTask, specOf } from './engine-fixture.ts'
import type { EngineFixture } from './engine-fixture.ts'
import { until } from './until.ts'

const all: LogOptions = { tail: 100, since: null, follow: false }
const neverAborted = new AbortController().signal

/** Waits for at least `count` lines, because the engine takes a moment, and returns the lines for `options`. */
async function linesOf({ engine }: EngineFixture, name: string, count: number, options: Partial<LogOptions> = {}) {
  const read = async () => Array.fromAsync(await engine.logs(name, { ...all, ...options }, neverAborted))
  await until(
    `${count} lines of ${name}`,
    async () => (await Array.fromAsync(await engine.logs(name, all, neverAborted))).length >= count,
  )
  return read()
}

const text = (lines: LogLine[]) => lines.map(({ line }) => line)

/** Follows a log and collects its lines. `received` of the result waits for a number of lines. */
async function followLog(t: TestContext, { engine }: EngineFixture, name: string, options: Partial<LogOptions> = {}) {
  const stop = new AbortController()
  t.after(() => stop.abort())
  const lines: LogLine[] = []
  const stream = await engine.logs(name, { ...all, follow: true, ...options }, stop.signal)
  const ended = (async () => {
    for await (const line of stream) lines.push(line)
  })()
  const received = (count: number) => until(`${count} lines`, async () => lines.length >= count)
  return { lines, stop, ended, received }
}

const odd = `two ü 😀 "quoted" \u001b[31mred\u001b[0m \\ $HOME \t%s`

export function logTests(fixture: () => EngineFixture): void {
  test('reads lines in order, each with its time and stream', async (t) => {
    const task = await createRunning(t, fixture(), specOf(fixture()))
    const { serviceName: name } = task
    const printed: [string, 'stdout' | 'stderr'][] = [
      ['one', 'stdout'],
      [odd, 'stderr'],
      ['', 'stdout'],
      ['x'.repeat(40_000) + 'ü'.repeat(20_000), 'stdout'],
    ]
    for (const [at, [line, stream]] of printed.entries()) {
      await fixture().printLine(task, line, stream)
      await linesOf(fixture(), name, at + 1)
    }
    const lines = await linesOf(fixture(), name, 4)
    assert.deepEqual(
      lines.map(({ line, stream }) => [line, stream]),
      printed,
    )
    assert.ok(lines.every(({ at }) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/.test(at)))
    assert.deepEqual(
      lines.map(({ at }) => at),
      lines.map(({ at }) => at).toSorted(),
    )
    assert.deepEqual(await linesOf(fixture(), name, 4, { tail: 2 }), lines.slice(2))
    assert.deepEqual(await linesOf(fixture(), name, 4, { since: lines[1]!.at }), lines.slice(1))
    assert.deepEqual(await linesOf(fixture(), name, 4, { since: lines[1]!.at, tail: 1 }), lines.slice(3))
    assert.deepEqual(await linesOf(fixture(), name, 4, { since: '2100-01-01T00:00:00.000000000Z' }), [])
  })

  test('follows existing and new lines until aborted', async (t) => {
    const { engine } = fixture()
    const spec = specOf(fixture())
    const task = await createRunning(t, fixture(), spec)
    for (const line of ['one', 'two', 'three']) await fixture().printLine(task, line, 'stdout')
    await linesOf(fixture(), spec.name, 3)
    const { lines, stop, ended, received } = await followLog(t, fixture(), spec.name, { tail: 2 })
    await received(2)
    for (const line of ['four', 'five']) await fixture().printLine(task, line, 'stderr')
    await received(4)
    await engine.updateService({ ...spec, restarts: 1 })
    const next = await until('another container', async () => {
      const current = await running(engine, spec.name)
      return current.id === task.id ? null : current
    })
    await fixture().printLine(next, 'six', 'stdout')
    await received(5)
    assert.deepEqual(text(lines), ['two', 'three', 'four', 'five', 'six'])
    stop.abort()
    await ended
    assert.equal(lines.length, 5)
  })

  test('ends following when the service is removed', async (t) => {
    const spec = specOf(fixture())
    const task = await createRunning(t, fixture(), spec)
    const { lines, ended, received } = await followLog(t, fixture(), spec.name)
    await fixture().printLine(task, 'one', 'stdout')
    await received(1)
    await removeAndWait(fixture().engine, spec.name)
    await ended
    assert.equal(lines[0]?.line, 'one')
  })

  test("returns no lines for an unknown or someone else's service", async (t) => {
    const { engine, otherInstallation } = fixture()
    const spec = specOf(fixture(), { args: ['sh', '-c', 'echo secret; sleep 1000'] })
    t.after(() => otherInstallation.removeService(spec.name))
    await otherInstallation.createService(spec)
    for (const name of ['unknown', spec.name]) {
      for (const follow of [false, true]) {
        assert.deepEqual(await Array.fromAsync(await engine.logs(name, { ...all, follow }, neverAborted)), [])
      }
    }
  })
}

export function usageTests(fixture: () => EngineFixture): void {
  test('reports the resource usage of a running container', async (t) => {
    const { engine } = fixture()
    const memoryLimitBytes = 256 * 1024 * 1024
    const tasks = await Promise.all([
      createRunning(t, fixture(), specOf(fixture(), { memoryLimitBytes })),
      sharedTask(fixture()),
    ])
    const [limited, unlimited] = await Promise.all(tasks.map((task) => engine.stats(task)))
    for (const usage of [limited!, unlimited!]) {
      assert.ok(usage.cpuCores >= 0 && usage.cpuCores < 64, String(usage.cpuCores))
      assert.ok(usage.memoryBytes > 10_000 && usage.memoryBytes < memoryLimitBytes, String(usage.memoryBytes))
      assert.match(usage.startedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    }
    assert.deepEqual([limited!.memoryLimitBytes, unlimited!.memoryLimitBytes], [memoryLimitBytes, null])
  })

  test('reads counters of a running container that grow', async () => {
    const { engine } = fixture()
    const task = await sharedTask(fixture())
    const first = await engine.usageCounters(task)
    const second = await engine.usageCounters(task)
    assert.ok(first.memoryBytes > 10_000 && first.cpuNanoseconds > 0, JSON.stringify(first))
    assert.ok(second.atMs >= first.atMs && second.cpuNanoseconds >= first.cpuNanoseconds, JSON.stringify(second))
  })

  test('refuses to measure a task without a container, and a container on an unknown node', async () => {
    const { engine } = fixture()
    const task = await sharedTask(fixture())
    const other = { ...task, nodeId: 'another-node', containerId: 'not-here' }
    await assert.rejects(engine.stats(other), engineFailure('nodeMissing', /another-node/))
    await assert.rejects(engine.stats({ ...task, containerId: null }), engineFailure('conflict'))
  })
}
