/** Runs the engine suite against a real Docker Swarm, and tests of ports, health checks, limits, files and networks. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { after, before, describe, test } from 'node:test'
import { dockerEngine } from '../../src/engine/docker/engine.ts'
import { dockerClient } from '../../src/engine/docker/transport/client.ts'
import { EngineFailure } from '../../src/engine/engine.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { installationLabel, jobLabel } from '../../src/engine/labels.ts'
import type { ServiceSpec } from '../../src/engine/spec.ts'
import { create, createRunning, idle, running, sharedTask, specOf, taskWith } from '../engine/engine-fixture.ts'
import { behaviours } from '../engine/behaviours.ts'
import type { EngineFixture } from '../engine/engine-fixture.ts'
import { engineSuite } from '../engine/suite.ts'
import { until } from '../engine/until.ts'
import { freePort } from '../fixtures/free-port.ts'

const dockerHost = process.env.DOCKER_HOST || 'unix:///var/run/docker.sock'
const networkName = 'berth-test'
const client = dockerClient(dockerHost, null)
let lastNumber = 0

async function open(): Promise<EngineFixture> {
  const installationId = `try-${process.pid}-${++lastNumber}`
  const engineOf = (id: string) => dockerEngine({ dockerHost, installationId: id, networkName })
  const engine = engineOf(installationId)
  await engine.prepare()
  const local = (await engine.nodes()).find((it) => it.local)
  return {
    engine,
    otherInstallation: engineOf(`${installationId}-stranger`),
    nodeId: local?.id ?? '',
    image: 'postgres:15',
    withBehaviour: (spec, behaviour) => ({ ...spec, ...behaviours[behaviour] }),
    scaleDown,
    printLine: async (task, line, stream) => {
      const env = { LINE: line, FD: stream === 'stdout' ? '1' : '2' }
      await engine.run(task, { argv: ['sh', '-c', 'printf "%s\\n" "$LINE" >"/proc/1/fd/$FD"'], env }, 5000)
    },
    detach: async ({ containerId }) => {
      const body = { Container: containerId, Force: true }
      await client.call({ method: 'POST', path: `/networks/${networkName}/disconnect`, body })
    },
    addLeftoverJob: (name, recordId) => addLeftoverJob(installationId, name, recordId),
    addForeignContainer: async (t, name, volume) => {
      t.after(() => client.call({ method: 'DELETE', path: `/containers/${name}`, query: { force: 1, v: 1 } }))
      const body = { Image: 'postgres:15', Entrypoint: idle, HostConfig: { Binds: volume && [`${volume}:/data`] } }
      await client.call({ method: 'POST', path: '/containers/create', query: { name }, body })
      if (volume !== undefined) await client.call({ method: 'POST', path: `/containers/${name}/start` })
    },
    killContainer: async (name) => {
      await client.call({ method: 'POST', path: `/containers/${name}/kill` })
    },
    close: () => clean(engine, installationId),
  }
}

async function scaleDown(name: string): Promise<void> {
  const path = `/services/${name}`
  const { Spec, Version } = await client.call<{ Spec: object; Version: { Index: number } }>({ path })
  const body = { ...Spec, Mode: { Replicated: { Replicas: 0 } } }
  await client.call({ method: 'POST', path: `${path}/update`, query: { version: Version.Index }, body })
}

async function addLeftoverJob(installationId: string, name: string, recordId: string): Promise<void> {
  const body = {
    Image: 'postgres:15',
    Entrypoint: ['sleep', '1000'],
    Labels: { [installationLabel]: installationId, [jobLabel]: recordId },
  }
  await client.call({ method: 'POST', path: '/containers/create', query: { name }, body })
  await client.call({ method: 'POST', path: `/containers/${name}/start` })
}

/** Removes everything that this installation created, except the shared swarm and network. */
async function clean(engine: Engine, installationId: string): Promise<void> {
  const filters = { label: [`${installationLabel}=${installationId}`] }
  const services = (await engine.services()).filter(({ labels }) => labels[installationLabel] === installationId)
  await Promise.all(services.map(({ name }) => engine.removeService(name)))
  await until(
    'the containers to end',
    async () =>
      (await client.call<object[]>({ path: '/containers/json', query: { all: 'true', filters } })).length === 0,
  )
  const { Volumes } = await client.call<{ Volumes: { Name: string }[] | null }>({
    path: '/volumes',
    query: { filters },
  })
  for (const { Name } of Volumes ?? []) {
    await until(`volume ${Name} to be free`, () =>
      client.call({ method: 'DELETE', path: `/volumes/${Name}` }).then(
        () => true,
        () => false,
      ),
    )
  }
  for (const { ID } of await configs(filters)) await client.call({ method: 'DELETE', path: `/configs/${ID}` })
}

function configs(filters: object): Promise<{ ID: string; Spec: { Name: string } }[]> {
  return client.call({ path: '/configs', query: { filters } })
}

const permanentContainer = `try-${process.pid}-standing`

/**
 * The engine sets up the network on its node for the first container, which takes as long as starting three containers.
 * One container that runs during all tests saves this time.
 */
before(async () => {
  await dockerEngine({ dockerHost, installationId: permanentContainer, networkName }).prepare()
  const body = { Image: 'postgres:15', Entrypoint: ['sleep', '1000'], HostConfig: { NetworkMode: networkName } }
  await client.call({ method: 'POST', path: '/containers/create', query: { name: permanentContainer }, body })
  await client.call({ method: 'POST', path: `/containers/${permanentContainer}/start` })
})
after(() => client.call({ method: 'DELETE', path: `/containers/${permanentContainer}`, query: { force: 1, v: 1 } }))

engineSuite('Docker Swarm', open)

describe('Docker Swarm only', () => {
  let fixture: EngineFixture
  before(async () => {
    fixture = await open()
  })
  after(() => fixture.close())

  const port = (published: number) => ({ published, target: 7777, protocol: 'tcp' as const })
  const listener = (changes: Partial<ServiceSpec>) => {
    const program = `trap 'exit 0' INT TERM; while :; do perl -MIO::Socket -e '
      $s = IO::Socket::INET->new(Listen => 1, LocalPort => 7777, ReuseAddr => 1) or die $!;
      while ($c = $s->accept) { print $c "hello\\n"; close $c }' & wait; done`
    return specOf(fixture, { args: ['sh', '-c', program], ...changes })
  }

  test('an update changes a published port, and other services resolve the service by name', async (t) => {
    const [first, second] = [await freePort(), await freePort()]
    const spec = listener({ ports: [port(first)] })
    const task = await createRunning(t, fixture, spec)
    assert.equal(await greeting(first), 'hello\n')
    const other = await sharedTask(fixture)
    const resolved = await fixture.engine.run(other, { argv: ['getent', 'hosts', spec.name], env: {} }, 5000)
    assert.match(resolved.stdout, new RegExp(`^${task.address?.replaceAll('.', '\\.')}\\s`))

    await fixture.engine.updateService({ ...spec, ports: [port(second)] })
    await taskWith(fixture.engine, spec.name, (it) => it.state === 'running' && it.id !== task.id)
    assert.equal(await greeting(second), 'hello\n')
  })

  test('a task fails with PortTaken if another program on the host uses its port', async (t) => {
    const server = net.createServer().listen(0, '0.0.0.0')
    await once(server, 'listening')
    t.after(() => server.close())
    const spec = listener({ ports: [port((server.address() as net.AddressInfo).port)] })
    await create(t, fixture, spec)
    const task = await taskWith(fixture.engine, spec.name, (it) => it.failure !== null)
    assert.equal(task.failure?.reason, 'PortTaken')
    assert.match(task.failure.detail, /address already in use/)
    assert.match(task.state, /failed|rejected/)
  })

  test('a task stays pending with PortTaken if another service uses its port', async (t) => {
    const ports = [port(await freePort())]
    await createRunning(t, fixture, listener({ ports }))
    const second = listener({ ports })
    await create(t, fixture, second)
    const task = await taskWith(fixture.engine, second.name, (it) => it.failure !== null)
    assert.equal(task.state, 'pending')
    assert.equal(task.failure?.reason, 'PortTaken')
    assert.match(task.failure.detail, /no suitable node \(host-mode port already in use/)
  })

  test('a task counts as running after its health check succeeded', async (t) => {
    const spec = specOf(fixture, { health: ['test', '-e', '/tmp/healthy'] })
    await create(t, fixture, spec)
    const starting = await taskWith(
      fixture.engine,
      spec.name,
      (it) => it.state === 'starting' && it.containerId !== null,
    )
    await fixture.engine.run(starting, { argv: ['touch', '/tmp/healthy'], env: {} }, 5000)
    assert.equal((await running(fixture.engine, spec.name)).id, starting.id)
  })

  test('a container has the limits, environment, arguments and tmpfs of its specification', async (t) => {
    const spec = specOf(fixture, {
      env: { ODD: `a'b"c $x {{.Node.ID}} {{{ }}`, EMPTY: '' },
      memoryLimitBytes: 64 * 1024 * 1024,
      cpuLimitNano: 500_000_000,
      memoryReservationBytes: 8 * 1024 * 1024,
      cpuReservationNano: 1_000_000,
      mounts: [{ type: 'tmpfs', path: '/scratch', name: '', sizeBytes: 1024 * 1024, labels: {} }],
    })
    const task = await createRunning(t, fixture, spec)
    const details = await client.call<{
      HostConfig: { Memory: number; NanoCpus: number; LogConfig: object }
      Config: { Env: string[] }
    }>({ path: `/containers/${task.containerId}/json` })
    assert.deepEqual([details.HostConfig.Memory, details.HostConfig.NanoCpus], [64 * 1024 * 1024, 500_000_000])
    assert.deepEqual(details.HostConfig.LogConfig, {
      Type: 'json-file',
      Config: { 'max-file': '3', 'max-size': '10m' },
    })
    assert.deepEqual(details.Config.Env.slice(0, 2), ['EMPTY=', `ODD=${spec.env.ODD}`])
    const size = await fixture.engine.run(task, { argv: ['df', '--output=size', '/scratch'], env: {} }, 5000)
    assert.match(size.stdout, /\b1024\b/)
  })

  test('a container has the user and capabilities of its specification, and can always bind low ports', async (t) => {
    const statusOf = async (spec: ServiceSpec) => {
      const task = await createRunning(t, fixture, spec)
      const low = ['perl', '-MIO::Socket', '-e', 'IO::Socket::INET->new(Listen => 1, LocalPort => 80) or die $!']
      assert.equal((await fixture.engine.run(task, { argv: low, env: {} }, 5000)).exitCode, 0)
      const argv = ['grep', '-hE', '^(Uid|CapBnd):', '/proc/self/status']
      return (await fixture.engine.run(task, { argv, env: {} }, 5000)).stdout
    }
    assert.match(
      await statusOf(specOf(fixture, { user: '1234:1234', capabilities: [] })),
      /Uid:\t1234[\s\S]*CapBnd:\t0+\n/,
    )
    assert.match(
      await statusOf(specOf(fixture, { capabilities: ['CHOWN', 'NET_BIND_SERVICE'] })),
      /Uid:\t0[\s\S]*CapBnd:\t0+401\n/,
    )
  })

  test('a task is rejected if a folder to mount is missing on the node', async (t) => {
    const name = `/no-such-folder-${process.pid}`
    const spec = specOf(fixture, { mounts: [{ type: 'bind', path: '/in', name, sizeBytes: 0, labels: {} }] })
    await create(t, fixture, spec)
    const task = await taskWith(fixture.engine, spec.name, (it) => it.failure !== null)
    assert.equal(task.failure?.reason, 'Other')
    assert.match(task.failure.detail, /bind source path does not exist/)
    assert.equal(task.state, 'rejected')
  })

  test('equal files share a config, which is removed with its last service', async (t) => {
    const file = (content: string) => ({ files: [{ path: '/etc/a.cfg', content: `${content} ${process.pid}` }] })
    const filters = { label: [`${installationLabel}=try-${process.pid}-${lastNumber}`] }
    const configCount = async () => (await configs(filters)).length
    const first = specOf(fixture, { replicas: 0, ...file('one') })
    const second = specOf(fixture, { replicas: 0, ...file('one') })
    await Promise.all([create(t, fixture, first), create(t, fixture, second)])
    assert.equal(await configCount(), 1)
    await fixture.engine.updateService({ ...first, ...file('two') })
    assert.equal(await configCount(), 2)
    await fixture.engine.updateService({ ...first, files: [] })
    assert.equal(await configCount(), 1)
    await fixture.engine.removeService(second.name)
    assert.equal(await configCount(), 0)
  })

  test('output of a program beyond 1 MiB is dropped, and unread input does no harm', async () => {
    const task = await sharedTask(fixture)
    const run = (argv: string[], stdin = '') => fixture.engine.run(task, { argv, env: {}, stdin }, 20_000)
    const longOutput = await run(['head', '-c', '3000000', '/dev/zero'])
    assert.deepEqual([longOutput.exitCode, longOutput.stdout.length], [0, 1024 * 1024])
    const longInput = await run(['sh', '-c', 'cat | wc -c'], 'x'.repeat(3_000_000))
    assert.deepEqual([longInput.exitCode, longInput.stdout.trim()], [0, '3000000'])
    assert.deepEqual(await run(['sh', '-c', 'echo early; exit 4'], 'x'.repeat(3_000_000)), {
      exitCode: 4,
      stdout: 'early\n',
      stderr: '',
    })
  })

  test('a missing program ends with exit code 126 or 127, or is refused with a message', async () => {
    const task = await sharedTask(fixture)
    const outcome = await fixture.engine
      .run(task, { argv: ['no-such-program'], env: {} }, 5000)
      .catch((error: unknown) => {
        assert.ok(error instanceof EngineFailure)
        return { exitCode: 127, stdout: error.message, stderr: '' }
      })
    assert.match(String(outcome.exitCode), /^12[67]$/)
    assert.match(outcome.stdout + outcome.stderr, /not found/)
  })
})

/** Connects until the server sends something, and returns its output. */
function greeting(port: number): Promise<string> {
  return until(
    `port ${port} to answer`,
    () =>
      new Promise<string>((resolve) => {
        let received = ''
        net
          .connect(port, '127.0.0.1')
          .on('data', (part) => {
            received += part.toString()
          })
          .on('error', () => resolve(''))
          .on('close', () => resolve(received))
      }),
  )
}
