/** The part of the engine suite about services: creating, listing, changing and removing them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { containerDigestOf, digestOf } from '../../src/engine/spec.ts'
import type { Mount, ServiceSpec, SpecFile } from '../../src/engine/spec.ts'
import { freePort } from '../fixtures/free-port.ts'
import { engineFailure } from './engine-failure.ts'
import { create, createRunning, removeAndWait, running, sharedTask, specOf, taskWith } from './engine-fixture.ts'
import type { EngineFixture } from './engine-fixture.ts'
import { until } from './until.ts'

export function serviceTests(fixture: () => EngineFixture): void {
  test('lists a created service and runs it with an address', async (t) => {
    const { engine, nodeId } = fixture()
    const spec = specOf(fixture(), { labels: { 'berth.record': 'x' } })
    const task = await createRunning(t, fixture(), spec)
    assert.match(task.address ?? '', /^10\.\d+\.\d+\.\d+$/)
    assert.ok(task.containerId)
    assert.deepEqual(
      [task.serviceName, task.desired, task.failure, task.exitCode, task.nodeId, task.digest],
      [spec.name, 'running', null, null, nodeId, containerDigestOf(spec)],
    )
    const [named] = await engine.servicesNamed([spec.name, 'nobody'])
    assert.deepEqual([named?.name, named?.digest, named?.labels['berth.record']], [spec.name, digestOf(spec), 'x'])
    const listed = (await engine.services()).find(({ id }) => id === named?.id)
    assert.deepEqual({ ...listed, ...named }, listed)
    assert.deepEqual([listed?.image, listed?.nodeId], [spec.image, nodeId])
    assert.deepEqual(
      listed?.volumes,
      spec.mounts.flatMap(({ type, name }) => (type === 'volume' ? [name] : [])),
    )
    assert.ok((await engine.tasks()).some(({ id }) => id === task.id))
    assert.equal((await engine.liveContainers(spec.name)).length, 1)
  })

  test('returns what a record decides about a service, and null for a service of another installation', async (t) => {
    const { engine, otherInstallation } = fixture()
    const found = {
      image: fixture().image,
      env: { A: '{{.Node.ID}} {{"{{"}}', B: 'x=y\nz', C: '' },
      args: ['sleep', "a 'b'", ''],
      ports: [{ published: await freePort(), target: 5, protocol: 'tcp' as const }],
      memoryLimitBytes: 64 * 1024 * 1024,
      memoryReservationBytes: 32 * 1024 * 1024,
      cpuLimitNano: 500_000_000,
      cpuReservationNano: 10_000_000,
      restarts: 3,
    }
    const data = { type: 'volume' as const, name: `suite-found-${process.pid}`, path: '/da{{ta' }
    const shared = { type: 'tmpfs' as const, name: '', path: '/dev/shm' }
    const mounts = [
      { ...data, sizeBytes: 0, labels: { of: 'suite' } },
      { ...shared, sizeBytes: 1024 * 1024, labels: {} },
    ]
    const spec = specOf(fixture(), { ...found, mounts, replicas: 0 })
    await create(t, fixture(), spec)
    assert.deepEqual(await engine.foundSpec(spec.name), { ...found, mounts: [data, shared] })
    const plain = specOf(fixture(), { replicas: 0 })
    await create(t, fixture(), plain)
    const { name: _name, ...rest } = plain
    const foundPlain = await engine.foundSpec(plain.name)
    assert.deepEqual({ ...rest, ...foundPlain }, rest)
    const other = specOf(fixture(), { replicas: 0 })
    t.after(() => otherInstallation.removeService(other.name))
    await otherInstallation.createService(other)
    assert.deepEqual([await engine.foundSpec(other.name), await engine.foundSpec('nobody')], [null, null])
  })

  test('returns nothing for unknown names', async () => {
    const { engine } = fixture()
    const results = await Promise.all([
      engine.servicesNamed([]),
      engine.servicesNamed(['nobody']),
      engine.tasks([]),
      engine.tasks(['nobody']),
      engine.tasksOf([]),
      engine.liveContainers('nobody'),
    ])
    assert.deepEqual(results, [[], [], [], [], [], []])
  })

  test('refuses a taken name in upper or lower case as a conflict, and keeps the first service', async (t) => {
    const spec = specOf(fixture(), { replicas: 0 })
    await create(t, fixture(), spec)
    await assert.rejects(fixture().engine.createService({ ...spec, restarts: 1 }), engineFailure('conflict'))
    await assert.rejects(
      fixture().engine.createService({ ...spec, name: spec.name.toUpperCase() }),
      engineFailure('conflict'),
    )
    assert.deepEqual(await fixture().engine.servicesNamed([spec.name.toUpperCase()]), [])
    const [named] = await fixture().engine.servicesNamed([spec.name])
    assert.equal(named?.digest, digestOf(spec))
  })

  test("lists someone else's service, and refuses to change or remove it", async (t) => {
    const { engine, otherInstallation } = fixture()
    const spec = specOf(fixture(), { replicas: 0 })
    t.after(() => otherInstallation.removeService(spec.name))
    await otherInstallation.createService(spec)
    await assert.rejects(engine.updateService({ ...spec, restarts: 1 }), engineFailure('conflict'))
    await assert.rejects(engine.removeService(spec.name), engineFailure('conflict'))
    await assert.rejects(engine.createService(spec), engineFailure('conflict'))
    assert.equal((await engine.servicesNamed([spec.name])).length, 1)
  })

  test('removes a service that does not exist without an error', async (t) => {
    const { engine } = fixture()
    const spec = specOf(fixture())
    await createRunning(t, fixture(), spec)
    const services = await engine.servicesNamed([spec.name])
    assert.deepEqual(await engine.tasksOf(services), await engine.tasks([spec.name]))
    await removeAndWait(engine, spec.name)
    assert.deepEqual(await engine.tasksOf(services), [])
    await engine.removeService(spec.name)
    assert.deepEqual(await engine.servicesNamed([spec.name]), [])
    assert.deepEqual(await engine.tasks([spec.name]), [])
  })
}

export function changeTests(fixture: () => EngineFixture): void {
  test('reports no digest for a service that someone else changed, until it is updated', async (t) => {
    const { engine } = fixture()
    const files: SpecFile[] = [
      { path: '/etc/test.conf', content: 'x' },
      { path: '/etc/test.key', content: 'y', isSecret: true },
    ]
    const mounts: Mount[] = [{ type: 'tmpfs', path: '/scratch', name: '', sizeBytes: 65_536, labels: {} }]
    const spec = specOf(fixture(), { files, mounts, env: { A: '{{' }, memoryLimitBytes: 64 * 1024 * 1024, restarts: 1 })
    await createRunning(t, fixture(), spec)
    const currentDigest = async () => (await engine.servicesNamed([spec.name]))[0]!.digest
    assert.equal(await currentDigest(), digestOf(spec))
    await fixture().scaleDown(spec.name)
    assert.equal(await currentDigest(), null)
    await until('the end of the container', async () => (await engine.liveContainers(spec.name)).length === 0)
    await engine.updateService(spec)
    assert.equal(await currentDigest(), digestOf(spec))
    await running(engine, spec.name)
  })

  test('reports a container that was disconnected from the network', async (t) => {
    const { engine } = fixture()
    const task = await createRunning(t, fixture(), specOf(fixture()))
    const other = await sharedTask(fixture())
    assert.deepEqual([...(await engine.detached())], [])
    await fixture().detach(task)
    assert.deepEqual([...(await engine.detached())], [task.containerId])
    assert.notEqual(other.containerId, task.containerId)
    assert.equal((await running(engine, task.serviceName)).id, task.id)
  })

  test('replaces the container only if the container part of the specification changes', async (t) => {
    const { engine } = fixture()
    const spec = specOf(fixture())
    const first = await createRunning(t, fixture(), spec)
    await engine.updateService(spec)
    await engine.updateService({ ...spec, labels: { other: 'label' } })
    const changed = { ...spec, restarts: 1 }
    await engine.updateService(changed)
    const second = await taskWith(engine, spec.name, (it) => it.state === 'running' && it.id !== first.id)
    const tasks = await engine.tasks([spec.name])
    assert.deepEqual(
      tasks.map(({ id }) => id),
      [second.id, first.id],
      'has two tasks, newest first',
    )
    assert.equal(second.digest, containerDigestOf(changed))
    assert.equal(tasks[1]?.desired, 'shutdown')
  })

  test('applies one of three concurrent updates last', async (t) => {
    const { engine } = fixture()
    const spec = specOf(fixture(), { replicas: 0 })
    await create(t, fixture(), spec)
    const changes: ServiceSpec[] = [1, 2, 3].map((restarts) => ({ ...spec, restarts }))
    await Promise.all(changes.map((change) => engine.updateService(change)))
    const [named] = await engine.servicesNamed([spec.name])
    assert.ok(changes.some((change) => digestOf(change) === named?.digest))
  })

  test('refuses to update an unknown service', async () => {
    await assert.rejects(fixture().engine.updateService(specOf(fixture())), engineFailure('missing'))
  })

  test('scales a service to zero and to one again', async (t) => {
    const { engine } = fixture()
    const spec = specOf(fixture())
    const first = await createRunning(t, fixture(), spec)
    await engine.updateService({ ...spec, replicas: 0 })
    await until('the end of the container', async () => (await engine.liveContainers(spec.name)).length === 0)
    assert.ok((await engine.tasks()).every(({ serviceName }) => serviceName !== spec.name))
    await engine.updateService(spec)
    const second = await running(engine, spec.name)
    assert.notEqual(second.id, first.id)
    assert.equal(second.digest, first.digest)
  })
}
