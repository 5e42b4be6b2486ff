/** The part of the engine suite about a service's files, ports, addresses, volumes and mounted folders. */
import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { isIPv4 } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Mount, SpecFile, SpecPort } from '../../src/engine/spec.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import { freePort } from '../fixtures/free-port.ts'
import { engineFailure } from './engine-failure.ts'
import { create, createRunning, removeAndWait, running, sharedTask, specOf } from './engine-fixture.ts'
import type { EngineFixture } from './engine-fixture.ts'
import { until } from './until.ts'

export function resourceTests(fixture: () => EngineFixture): void {
  test('creates the files and secrets of the specification in the container', async (t) => {
    const { engine } = fixture()
    const files: SpecFile[] = [
      { path: '/etc/berth/a.cfg', content: 'line one\nüñ $HOME\n' },
      { path: '/run/secrets/password', content: 'a {{secret}}\n', isSecret: true },
    ]
    const task = await createRunning(t, fixture(), specOf(fixture(), { files }))
    for (const { path, content } of files) {
      const outcome = await engine.run(task, { argv: ['cat', path], env: {} }, 5000)
      assert.deepEqual(outcome, { exitCode: 0, stdout: content, stderr: '' })
    }
  })

  test("lists the ranges of the swarm's bridge and overlay", async () => {
    const networks = await fixture().engine.containerNetworks()
    for (const name of ['docker_gwbridge', 'ingress']) {
      const found = networks.find((network) => network.name === name)
      assert.ok(found !== undefined && isIPv4(found.address) && found.prefix < 32, JSON.stringify(networks))
    }
  })

  test('lists the ports and task counts of a service', async (t) => {
    const { engine } = fixture()
    const ports: SpecPort[] = [
      { published: await freePort(), target: 1, protocol: 'tcp' },
      { published: await freePort(), target: 2, protocol: 'udp' },
    ]
    const spec = specOf(fixture(), { ports, image: 'no-such-image:1' })
    await create(t, fixture(), spec)
    const find = async () => (await engine.services()).find(({ name }) => name === spec.name)!
    const { createdAt, published, ...first } = await find()
    assert.deepEqual([first.onNetwork, first.replicas, first.running], [true, 1, 0])
    assert.deepEqual(
      published,
      ports.map(({ published: port, protocol }) => ({ port, protocol })),
    )
    assert.match(createdAt, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    await engine.updateService({ ...spec, image: fixture().image })
    await running(engine, spec.name)
    await until('the count of running tasks', async () => (await find()).running === 1)
    assert.equal((await find()).createdAt, createdAt)
    await engine.updateService({ ...spec, image: fixture().image, ports: [], replicas: 0 })
    await until('the end of the container', async () => (await find()).running === 0)
    const last = await find()
    assert.deepEqual([last.replicas, last.published], [0, []])
  })

  test("lists someone else's service with the same fields", async (t) => {
    const { engine, otherInstallation } = fixture()
    const ports: SpecPort[] = [{ published: await freePort(), target: 53, protocol: 'udp' }]
    const spec = specOf(fixture(), { ports, labels: { 'berth.application': 'shop' } })
    t.after(() => otherInstallation.removeService(spec.name))
    await otherInstallation.createService(spec)
    const find = async () => (await engine.services()).find(({ name }) => name === spec.name)!
    await until('the service to run', async () => (await find()).running === 1)
    const { labels, published, onNetwork, replicas } = await find()
    assert.deepEqual([labels['berth.application'], onNetwork, replicas], ['shop', true, 1])
    assert.deepEqual(published, [{ port: ports[0]!.published, protocol: 'udp' }])
  })

  test('lists an address of each running container, at which the machine reaches it, until it ends', async (t) => {
    const { engine } = fixture()
    const { containerId } = await sharedTask(fixture())
    const other = await createRunning(t, fixture(), specOf(fixture()))
    const addresses = await engine.hostAddresses()
    const [first = '', second = ''] = [addresses.get(containerId!), addresses.get(other.containerId!)]
    assert.deepEqual([first, second].map(isIPv4), [true, true], `${first} ${second}`)
    assert.notEqual(first, second)
    await engine.removeService(other.serviceName)
    await until('the end of the container', async () => !(await engine.hostAddresses()).has(other.containerId!))
    assert.equal((await engine.hostAddresses()).get(containerId!), first)
  })

  test('mounts a folder of the node into the container', async (t) => {
    const { engine } = fixture()
    const folder = temporaryFolder(t)
    const spec = specOf(fixture(), { mounts: [{ type: 'bind', path: folder, name: folder, sizeBytes: 0, labels: {} }] })
    const task = await createRunning(t, fixture(), spec)
    await writeFile(join(folder, 'a'), 'from the node')
    const outcome = await engine.run(task, { argv: ['cat', join(folder, 'a')], env: {} }, 5000)
    assert.deepEqual(outcome, { exitCode: 0, stdout: 'from the node', stderr: '' })
    await engine.run(task, { argv: ['touch', join(folder, 'b')], env: {} }, 5000)
    assert.deepEqual((await readdir(folder)).sort(), ['a', 'b'])
  })

  test('keeps a volume and its mark until the volume is removed, which is refused during its use', async (t) => {
    const { engine, nodeId } = fixture()
    const { name, image } = specOf(fixture())
    const mounts: Mount[] = [{ type: 'volume', path: '/data', name, sizeBytes: 0, labels: { a: '{{b' } }]
    const remove = () => engine.removeVolume(name, nodeId)
    const hasVolume = async () => (await engine.volumeUse(name, nodeId)).exists
    const run = () => createRunning(t, fixture(), specOf(fixture(), { mounts }))
    assert.equal(await hasVolume(), false)
    await assert.rejects(engine.volumeUse(name, 'another-node'), engineFailure('nodeMissing'))
    await assert.rejects(engine.ownVolumes('another-node'), engineFailure('nodeMissing'))
    await assert.rejects(engine.isVolumeEmpty(name, nodeId, image), engineFailure('missing'))
    const first = await run()
    assert.equal(await hasVolume(), true)
    assert.equal(await engine.isVolumeEmpty(name, nodeId, image), true)
    assert.ok((await engine.ownVolumes(nodeId)).includes(name))
    assert.equal(await engine.volumeMark(name, nodeId, '', image), null)
    const marks: [folder: string, fresh: string | null][] = [
      ['/data', null],
      ['/data', 'one'],
      ['/data', 'two'],
      ['/data', null],
    ]
    const results = []
    for (const [folder, fresh] of marks) results.push(await engine.dataMark(first, folder, fresh))
    assert.deepEqual(results, [null, 'one', 'one', 'one'])
    assert.equal(await engine.volumeMark(name, nodeId, '', image), 'one')
    assert.equal(await engine.isVolumeEmpty(name, nodeId, image), false)
    await assert.rejects(engine.dataMark({ ...first, containerId: null }, '/data', null), engineFailure('conflict'))
    const places = await engine.dataPlaces(first, ['/data', '/data/new', '/srv/new'])
    assert.deepEqual(
      places.map(({ path, target, mount }) => [path, target, mount]),
      [
        ['/data', '/data', '/data'],
        ['/data/new', '/data/new', '/data'],
        ['/srv/new', '/srv/new', '/'],
      ],
    )
    await assert.rejects(engine.dataPlaces({ ...first, containerId: null }, ['/data']), engineFailure('conflict'))
    await assert.rejects(remove(), engineFailure('conflict'))
    await removeAndWait(engine, first.serviceName)
    await assert.rejects(engine.dataMark(first, '/data', null), engineFailure(['missing', 'conflict']))
    const second = await run()
    assert.equal(await engine.dataMark(second, '/data', null), 'one')
    await assert.rejects(remove(), engineFailure('conflict'))
    await removeAndWait(engine, second.serviceName)
    await until('the volume to be free', () =>
      remove().then(
        () => true,
        () => false,
      ),
    )
    assert.equal(await hasVolume(), false)
    assert.ok(!(await engine.ownVolumes(nodeId)).includes(name))
    await assert.rejects(engine.volumeMark(name, nodeId, '', image), engineFailure('missing'))
    await remove()
    assert.equal(await engine.dataMark(await run(), '/data', null), null)
  })

  test('lists the services and the live containers that mount a volume', async (t) => {
    const { engine, nodeId, addForeignContainer } = fixture()
    const { name } = specOf(fixture())
    const mounts: Mount[] = [{ type: 'volume', path: '/data', name, sizeBytes: 0, labels: {} }]
    const usersOf = async () => {
      const { exists, services, containers } = await engine.volumeUse(name, nodeId)
      return [exists, services.map((service) => service.name), containers]
    }
    assert.deepEqual(await usersOf(), [false, [], []])
    const spec = specOf(fixture(), { mounts, labels: { 'berth.database': 'db1' } })
    const task = await createRunning(t, fixture(), spec)
    await createRunning(t, fixture(), specOf(fixture()))
    const {
      services: [service],
    } = await engine.volumeUse(name, nodeId)
    const { id, labels, digest, ...placed } = service!
    assert.deepEqual(placed, { name: spec.name, volumes: [name], nodeId, replicas: 1 })
    assert.deepEqual([labels['berth.database'], typeof digest], ['db1', 'string'])
    assert.deepEqual(await engine.servicesNamed([spec.name]), [service])
    const container = { name: `${spec.name}.1.${task.id}`, service: { name: spec.name, id } }
    assert.deepEqual(await usersOf(), [true, [spec.name], [container]])
    await engine.updateService({ ...spec, replicas: 0 })
    await until('the end of the container', async () => (await engine.volumeUse(name, nodeId)).containers.length === 0)
    assert.deepEqual(await usersOf(), [true, [spec.name], []])
    await addForeignContainer(t, `${name}-by-hand`, name)
    assert.deepEqual(await usersOf(), [true, [spec.name], [{ name: `${name}-by-hand`, service: null }]])
    await engine.removeService(spec.name)
    assert.deepEqual(await usersOf(), [true, [], [{ name: `${name}-by-hand`, service: null }]])
    await assert.rejects(engine.removeVolume(name, nodeId), engineFailure('conflict'))
  })

  test('lists a service only for the node that it is pinned to', async (t) => {
    const { engine, nodeId } = fixture()
    const { name } = specOf(fixture())
    const mounts: Mount[] = [{ type: 'volume', path: '/data', name, sizeBytes: 0, labels: {} }]
    const spec = specOf(fixture(), { mounts, nodeId: 'another-node' })
    await create(t, fixture(), spec)
    assert.deepEqual((await engine.volumeUse(name, nodeId)).services, [])
    assert.equal((await engine.servicesNamed([spec.name]))[0]?.nodeId, 'another-node')
  })

  test('reports a volume on an unknown node as nodeMissing', async () => {
    await assert.rejects(fixture().engine.removeVolume('any', 'another-node'), engineFailure('nodeMissing'))
  })
}
