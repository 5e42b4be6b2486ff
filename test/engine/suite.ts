/** The tests that every engine passes. They keep the in-memory engine equal to Docker. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { EngineFailure } from '../../src/engine/engine.ts'
import type { EngineFailureReason } from '../../src/engine/failures.ts'
import { containerDigestOf, digestOf } from '../../src/engine/spec.ts'
import type { Mount, ServiceSpec, SpecFile } from '../../src/engine/spec.ts'
import { create, createRunning, gone, running, specOf, taskWith } from './bench.ts'
import type { Bench } from './bench.ts'
import { imageTests } from './suite-images.ts'
import { jobTests } from './suite-jobs.ts'
import { logTests, usageTests } from './suite-looks.ts'
import { nodeTests } from './suite-nodes.ts'
import { placedTests } from './suite-placed.ts'
import { until } from './until.ts'

const refused = (reason: EngineFailureReason) => (error: unknown) =>
  error instanceof EngineFailure && error.reason === reason

export function engineSuite(title: string, open: () => Promise<Bench>): void {
  describe(title, () => {
    let bench: Bench
    before(async () => {
      bench = await open()
    })
    after(() => bench.close())
    const opened = () => bench
    placeTests(opened)
    nodeTests(opened)
    serviceTests(opened)
    changeTests(opened)
    placedTests(opened)
    programTests(opened)
    failureTests(opened)
    volumeTests(opened)
    logTests(opened)
    usageTests(opened)
    jobTests(opened)
    imageTests(opened)
  })
}

function placeTests(bench: () => Bench): void {
  test('answers, and changes nothing when prepared again', async () => {
    const { engine, nodeId } = bench()
    await engine.ping()
    await Promise.all([engine.prepare(), engine.prepare()])
    await engine.prepare()
    const node = (await engine.nodes()).find((it) => it.local)
    assert.deepEqual([node?.id, node?.ready, node?.active], [nodeId, true, true])
    assert.match(node?.address ?? '', /^\d+\.\d+\.\d+\.\d+$/)
  })

  test('reports the start of a container to a watch, and ends an aborted watch', async (t) => {
    const { engine } = bench()
    const stop = new AbortController()
    const { promise: open, resolve } = Promise.withResolvers<void>()
    const seen: string[] = []
    const watching = engine.watch(({ serviceName, action }) => {
      if (action === 'watching') resolve()
      seen.push(`${serviceName} ${action}`)
    }, stop.signal)
    await open
    const spec = specOf(bench())
    await create(t, bench(), spec)
    await until('the start', async () => seen.includes(`${spec.name} create`) && seen.includes(`${spec.name} start`))
    stop.abort()
    await watching
  })
}

function serviceTests(bench: () => Bench): void {
  test('lists a created service and runs it with an address', async (t) => {
    const { engine, nodeId } = bench()
    const spec = specOf(bench(), { labels: { 'berth.record': 'x' } })
    const task = await createRunning(t, bench(), spec)
    assert.match(task.address ?? '', /^10\.\d+\.\d+\.\d+$/)
    assert.ok(task.containerId)
    assert.deepEqual(
      [task.serviceName, task.desired, task.failure, task.exitCode, task.nodeId, task.digest],
      [spec.name, 'running', null, null, nodeId, containerDigestOf(spec)],
    )
    const [found] = await engine.servicesNamed([spec.name, 'nobody'])
    assert.deepEqual([found?.name, found?.digest, found?.labels['berth.record']], [spec.name, digestOf(spec), 'x'])
    const seen = (await engine.services()).find((it) => it.id === found?.id)
    assert.deepEqual({ ...seen, ...found }, seen)
    assert.ok((await engine.tasks()).some((it) => it.id === task.id))
    assert.equal((await engine.liveContainers(spec.name)).length, 1)
  })

  test('finds nothing for unknown names', async () => {
    const { engine } = bench()
    const found = await Promise.all([
      engine.servicesNamed([]),
      engine.servicesNamed(['nobody']),
      engine.tasks([]),
      engine.tasks(['nobody']),
      engine.liveContainers('nobody'),
    ])
    assert.deepEqual(found, [[], [], [], [], []])
  })

  test('refuses a name that is taken in any case as a conflict, and keeps the first service', async (t) => {
    const spec = specOf(bench(), { replicas: 0 })
    await create(t, bench(), spec)
    await assert.rejects(bench().engine.createService({ ...spec, restarts: 1 }), refused('conflict'))
    await assert.rejects(bench().engine.createService({ ...spec, name: spec.name.toUpperCase() }), refused('conflict'))
    assert.deepEqual(await bench().engine.servicesNamed([spec.name.toUpperCase()]), [])
    const [found] = await bench().engine.servicesNamed([spec.name])
    assert.equal(found?.digest, digestOf(spec))
  })

  test("lists someone else's service, and refuses to change or remove it", async (t) => {
    const { engine, stranger } = bench()
    const spec = specOf(bench(), { replicas: 0 })
    t.after(() => stranger.removeService(spec.name))
    await stranger.createService(spec)
    await assert.rejects(engine.updateService({ ...spec, restarts: 1 }), refused('conflict'))
    await assert.rejects(engine.removeService(spec.name), refused('conflict'))
    await assert.rejects(engine.createService(spec), refused('conflict'))
    assert.equal((await engine.servicesNamed([spec.name])).length, 1)
  })

  test('removes a service that does not exist without an error', async (t) => {
    const { engine } = bench()
    const spec = specOf(bench())
    await createRunning(t, bench(), spec)
    await gone(engine, spec.name)
    await engine.removeService(spec.name)
    assert.deepEqual(await engine.servicesNamed([spec.name]), [])
    assert.deepEqual(await engine.tasks([spec.name]), [])
  })
}

function changeTests(bench: () => Bench): void {
  test('reports no digest for a service that someone else changed, until it is updated', async (t) => {
    const { engine } = bench()
    const files: SpecFile[] = [
      { path: '/etc/try.conf', content: 'x' },
      { path: '/etc/try.key', content: 'y', isSecret: true },
    ]
    const mounts: Mount[] = [{ type: 'tmpfs', path: '/scratch', name: '', sizeBytes: 65_536, labels: {} }]
    const spec = specOf(bench(), { files, mounts, env: { A: '{{' }, memoryLimitBytes: 64 * 1024 * 1024, restarts: 1 })
    await createRunning(t, bench(), spec)
    const digestNow = async () => (await engine.servicesNamed([spec.name]))[0]!.digest
    assert.equal(await digestNow(), digestOf(spec))
    await bench().scaleDown(spec.name)
    assert.equal(await digestNow(), null)
    await until('its end', async () => (await engine.liveContainers(spec.name)).length === 0)
    await engine.updateService(spec)
    assert.equal(await digestNow(), digestOf(spec))
    await running(engine, spec.name)
  })

  test('reports a container that was disconnected from the network', async (t) => {
    const { engine } = bench()
    const task = await createRunning(t, bench(), specOf(bench()))
    const other = await createRunning(t, bench(), specOf(bench()))
    assert.deepEqual([...(await engine.detached())], [])
    await bench().detach(task)
    assert.deepEqual([...(await engine.detached())], [task.containerId])
    assert.notEqual(other.containerId, task.containerId)
    assert.equal((await running(engine, task.serviceName)).id, task.id)
  })

  test('keeps the container for an equal specification or other labels, and replaces it for another restart count', async (t) => {
    const { engine } = bench()
    const spec = specOf(bench())
    const first = await createRunning(t, bench(), spec)
    await engine.updateService(spec)
    await engine.updateService({ ...spec, labels: { other: 'label' } })
    const changed = { ...spec, restarts: 1 }
    await engine.updateService(changed)
    const second = await taskWith(engine, spec.name, (it) => it.state === 'running' && it.id !== first.id)
    const tasks = await engine.tasks([spec.name])
    assert.deepEqual(
      tasks.map((it) => it.id),
      [second.id, first.id],
      'two tasks, the newest first',
    )
    assert.equal(second.digest, containerDigestOf(changed))
    assert.equal(tasks[1]?.desired, 'shutdown')
  })

  test('makes two concurrent updates', async (t) => {
    const { engine } = bench()
    const spec = specOf(bench(), { replicas: 0 })
    await create(t, bench(), spec)
    const changes: ServiceSpec[] = [1, 2, 3].map((restarts) => ({ ...spec, restarts }))
    await Promise.all(changes.map((it) => engine.updateService(it)))
    const [found] = await engine.servicesNamed([spec.name])
    assert.ok(changes.some((it) => digestOf(it) === found?.digest))
  })

  test('refuses to update an unknown service', async () => {
    await assert.rejects(bench().engine.updateService(specOf(bench())), refused('missing'))
  })

  test('scales to zero and back', async (t) => {
    const { engine } = bench()
    const spec = specOf(bench())
    const first = await createRunning(t, bench(), spec)
    await engine.updateService({ ...spec, replicas: 0 })
    await until('the end', async () => (await engine.liveContainers(spec.name)).length === 0)
    assert.ok((await engine.tasks()).every((it) => it.serviceName !== spec.name))
    await engine.updateService(spec)
    const second = await running(engine, spec.name)
    assert.notEqual(second.id, first.id)
    assert.equal(second.digest, first.digest)
  })
}

function programTests(bench: () => Bench): void {
  test('runs a program with its arguments, environment and input uninterpreted', async (t) => {
    const { engine } = bench()
    const task = await createRunning(t, bench(), specOf(bench()))
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

  test('returns exit code 124 after the timeout of a program', async (t) => {
    const { engine } = bench()
    const task = await createRunning(t, bench(), specOf(bench()))
    const outcome = await engine.run(task, { argv: ['sleep', '5'], env: {} }, 100)
    assert.equal(outcome.exitCode, 124)
    assert.match(outcome.stderr, /not done within 100 ms/)
  })

  test('runs no program in a container that is gone', async (t) => {
    const { engine } = bench()
    const spec = specOf(bench())
    const task = await createRunning(t, bench(), spec)
    await gone(engine, spec.name)
    await assert.rejects(
      engine.run(task, { argv: ['true'], env: {} }, 5000),
      (error: unknown) => refused('missing')(error) || refused('conflict')(error),
    )
  })
}

function failureTests(bench: () => Bench): void {
  test('rejects the task of a missing image with a message', async (t) => {
    const spec = specOf(bench(), { image: 'no-such-image:1' })
    await create(t, bench(), spec)
    const task = await taskWith(bench().engine, spec.name, (it) => it.state === 'rejected')
    assert.equal(task.failure?.reason, 'ImageMissing')
    assert.match(task.failure.detail, /No such image: no-such-image:1/)
    assert.deepEqual([task.exitCode, task.containerId], [null, null])
  })

  test('reports exit code and last lines of a crash, and starts another task', async (t) => {
    const { engine } = bench()
    const spec = bench().behaving(specOf(bench()), 'crashes')
    await create(t, bench(), spec)
    const task = await taskWith(engine, spec.name, (it) => it.state === 'failed')
    assert.equal(task.exitCode, 3)
    assert.equal(task.failure?.reason, 'Other')
    assert.match(task.failure.detail, /non-zero exit \(3\)/)
    assert.deepEqual(await engine.exitReport(task), { exitCode: 3, outOfMemory: false, lastLines: ['last words'] })
    await taskWith(engine, spec.name, (it) => it.id !== task.id)
  })

  test('reports a lack of memory', async (t) => {
    const { engine } = bench()
    const spec = bench().behaving(specOf(bench(), { memoryLimitBytes: 32 * 1024 * 1024 }), 'eats memory')
    await create(t, bench(), spec)
    // Docker learns of the exit and of its reason separately. If the exit comes first, the reason is lost.
    await until(
      'one that is known to have been out of memory',
      async () => {
        const failed = (await engine.tasks([spec.name])).filter(({ state }) => state === 'failed')
        const ends = await Promise.all(failed.map((task) => engine.exitReport(task)))
        return ends.some(({ exitCode, outOfMemory }) => exitCode === 137 && outOfMemory)
      },
      30_000,
    )
  })
}

function volumeTests(bench: () => Bench): void {
  test('refuses to remove a volume in use, keeps it after its service, and then removes it', async (t) => {
    const { engine, nodeId } = bench()
    const { name } = specOf(bench())
    const remove = () => engine.removeVolume(name, nodeId)
    const mounts: Mount[] = [{ type: 'volume', path: '/data', name, sizeBytes: 0, labels: { a: '{{b' } }]
    for (const spec of [specOf(bench(), { mounts }), specOf(bench(), { mounts })]) {
      await createRunning(t, bench(), spec)
      await assert.rejects(remove(), refused('conflict'))
      await gone(engine, spec.name)
    }
    await until('the volume to be free', () =>
      remove().then(
        () => true,
        () => false,
      ),
    )
    await remove()
  })

  test('reports a volume on an unknown node as nodeMissing', async () => {
    await assert.rejects(bench().engine.removeVolume('any', 'another-node'), refused('nodeMissing'))
  })
}
