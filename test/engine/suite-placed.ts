/** The part of the engine suite about a service's ports, network, volume and folders of the node. */
import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { isIPv4 } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { EngineFailure } from '../../src/engine/engine.ts'
import type { EngineFailureReason } from '../../src/engine/failures.ts'
import type { Mount, SpecFile, SpecPort } from '../../src/engine/spec.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import { create, createRunning, freePort, gone, running, specOf } from './bench.ts'
import type { Bench } from './bench.ts'
import { until } from './until.ts'

const refused =
  (...reasons: EngineFailureReason[]) =>
  (error: unknown) =>
    error instanceof EngineFailure && reasons.includes(error.reason)

export function placedTests(bench: () => Bench): void {
  test('puts files and secrets of the specification into the container', async (t) => {
    const { engine } = bench()
    const files: SpecFile[] = [
      { path: '/etc/berth/a.cfg', content: 'line one\nüñ $HOME\n' },
      { path: '/run/secrets/a-word', content: 'a {{secret}}\n', isSecret: true },
    ]
    const task = await createRunning(t, bench(), specOf(bench(), { files }))
    for (const { path, content } of files) {
      const outcome = await engine.run(task, { argv: ['cat', path], env: {} }, 5000)
      assert.deepEqual(outcome, { exitCode: 0, stdout: content, stderr: '' })
    }
  })

  test('lists the ports and task counts of a service', async (t) => {
    const { engine } = bench()
    const ports: SpecPort[] = [
      { published: await freePort(), target: 1, protocol: 'tcp' },
      { published: await freePort(), target: 2, protocol: 'udp' },
    ]
    const spec = specOf(bench(), { ports, image: 'no-such-image:1' })
    await create(t, bench(), spec)
    const find = async () => (await engine.services()).find(({ name }) => name === spec.name)!
    const { createdAt, published, ...first } = await find()
    assert.deepEqual([first.onNetwork, first.replicas, first.running], [true, 1, 0])
    assert.deepEqual(
      published,
      ports.map((it) => ({ port: it.published, protocol: it.protocol })),
    )
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    await engine.updateService({ ...spec, image: bench().image })
    await running(engine, spec.name)
    await until('the count', async () => (await find()).running === 1)
    assert.equal((await find()).createdAt, createdAt)
    await engine.updateService({ ...spec, image: bench().image, ports: [], replicas: 0 })
    await until('its end', async () => (await find()).running === 0)
    const last = await find()
    assert.deepEqual([last.replicas, last.published], [0, []])
  })

  test("lists someone else's service with the same fields", async (t) => {
    const { engine, stranger } = bench()
    const ports: SpecPort[] = [{ published: await freePort(), target: 53, protocol: 'udp' }]
    const spec = specOf(bench(), { ports, labels: { 'berth.application': 'shop' } })
    t.after(() => stranger.removeService(spec.name))
    await stranger.createService(spec)
    const find = async () => (await engine.services()).find(({ name }) => name === spec.name)!
    await until('it to run', async () => (await find()).running === 1)
    const { labels, published, onNetwork, replicas } = await find()
    assert.deepEqual([labels['berth.application'], onNetwork, replicas], ['shop', true, 1])
    assert.deepEqual(published, [{ port: ports[0]!.published, protocol: 'udp' }])
  })

  test('gives each running container an address for the machine until it ends', async (t) => {
    const { engine } = bench()
    const { containerId } = await createRunning(t, bench(), specOf(bench()))
    const other = await createRunning(t, bench(), specOf(bench()))
    const addresses = await engine.hostAddresses()
    const [found = '', second = ''] = [addresses.get(containerId!), addresses.get(other.containerId!)]
    assert.deepEqual([found, second].map(isIPv4), [true, true], `${found} ${second}`)
    assert.notEqual(found, second)
    await engine.removeService(other.serviceName)
    await until('its end', async () => !(await engine.hostAddresses()).has(other.containerId!))
    assert.equal((await engine.hostAddresses()).get(containerId!), found)
  })

  test('mounts a folder of the node into the container', async (t) => {
    const { engine } = bench()
    const folder = temporaryFolder(t)
    const spec = specOf(bench(), { mounts: [{ type: 'bind', path: folder, name: folder, sizeBytes: 0, labels: {} }] })
    const task = await createRunning(t, bench(), spec)
    await writeFile(join(folder, 'a'), 'from the node')
    const read = await engine.run(task, { argv: ['cat', join(folder, 'a')], env: {} }, 5000)
    assert.deepEqual(read, { exitCode: 0, stdout: 'from the node', stderr: '' })
    await engine.run(task, { argv: ['touch', join(folder, 'b')], env: {} }, 5000)
    assert.deepEqual((await readdir(folder)).sort(), ['a', 'b'])
  })

  test('keeps a volume and its mark from the first container until removal', async (t) => {
    const { engine, nodeId } = bench()
    const { name } = specOf(bench())
    const mounts: Mount[] = [{ type: 'volume', path: '/data', name, sizeBytes: 0, labels: {} }]
    const has = () => engine.hasVolume(name, nodeId)
    const runs = () => createRunning(t, bench(), specOf(bench(), { mounts }))
    assert.equal(await has(), false)
    await assert.rejects(engine.hasVolume(name, 'another-node'), refused('nodeMissing'))
    const first = await runs()
    assert.equal(await has(), true)
    const marks: [folder: string, fresh: string | null][] = [
      ['/data', null],
      ['/data', 'one'],
      ['/data', 'two'],
      ['/data', null],
    ]
    const found = []
    for (const [folder, fresh] of marks) found.push(await engine.dataMark(first, folder, fresh))
    assert.deepEqual(found, [null, 'one', 'one', 'one'])
    await assert.rejects(engine.dataMark({ ...first, containerId: null }, '/data', null), refused('conflict'))
    await gone(engine, first.serviceName)
    await assert.rejects(engine.dataMark(first, '/data', null), refused('missing', 'conflict'))
    const second = await runs()
    assert.equal(await engine.dataMark(second, '/data', null), 'one')
    await gone(engine, second.serviceName)
    await until('the volume to be free', () =>
      engine.removeVolume(name, nodeId).then(
        () => true,
        () => false,
      ),
    )
    assert.equal(await has(), false)
    assert.equal(await engine.dataMark(await runs(), '/data', null), null)
  })
}
