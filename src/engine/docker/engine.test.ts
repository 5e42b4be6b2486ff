/**
 * The Docker engine against a fake API: races, errors and broken streams that a real engine does not show on request.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { fakeApi } from '../../../test/engine/fake-api.ts'
import type { Answers, Asked } from '../../../test/engine/fake-api.ts'
import { dockerEngine } from './engine.ts'
import { EngineFailure, EngineUnavailable } from '../engine.ts'
import type { EngineFailureReason } from '../failures.ts'
import type { EngineEvent, FoundTask } from '../engine.ts'
import { installationLabel } from '../labels.ts'
import type { ServiceSpec } from '../spec.ts'

async function engineOver(t: TestContext, answers: Answers) {
  const it = await fakeApi(({ path, ...rest }, response) => answers({ ...rest, path: path.slice(6) }, response))
  t.after(it.close)
  const { dockerHost } = it
  const engine = dockerEngine({ dockerHost, installationId: 'mine', networkName: 'berth', timeoutMs: 2000 })
  return { engine, asked: it.asked, paths: () => it.asked.map(({ method, path }) => `${method} ${path.slice(6)}`) }
}

const spec: ServiceSpec = {
  name: 'db',
  labels: {},
  image: 'postgres:15',
  env: {},
  args: [],
  mounts: [],
  files: [],
  health: null,
  ports: [],
  user: null,
  capabilities: null,
  nodeId: 'node1',
  memoryLimitBytes: null,
  memoryReservationBytes: null,
  cpuLimitNano: null,
  cpuReservationNano: null,
  stopGraceSeconds: 10,
  replicas: 1,
  restarts: 0,
}
const overlay = { Id: 'x', Name: 'berth', Driver: 'overlay', Scope: 'swarm', Attachable: true, IPAM: { Config: [] } }
const service = (index: number, installationId = 'mine') => ({
  ID: 'id1',
  Version: { Index: index },
  CreatedAt: '2026-01-01T00:00:00Z',
  Spec: { Name: 'db', Labels: { [installationLabel]: installationId }, TaskTemplate: {} },
})
const refused = (reason: EngineFailureReason, words: RegExp) => (error: Error) =>
  error instanceof EngineFailure && error.reason === reason && words.test(error.message)

const sequence = [500, { message: 'rpc error: code = Unknown desc = update out of sequence' }] as [number, unknown]

test('reads the service again and retries after a concurrent update', async (t) => {
  let index = 10
  const { engine, asked } = await engineOver(t, ({ path, query }) => {
    if (path === '/services') return [200, [service(++index)]]
    return query.version === '13' ? [200, {}] : sequence
  })
  await engine.updateService(spec)
  assert.deepEqual(
    asked.flatMap(({ query }) => query.version ?? []),
    ['11', '12', '13'],
  )
})

test('gives up with the message of the engine when every retry is overtaken', async (t) => {
  const { engine, asked } = await engineOver(t, ({ path }) => (path === '/services' ? [200, [service(1)]] : sequence))
  await assert.rejects(engine.updateService(spec), refused('failed', /out of sequence/))
  assert.ok(asked.length < 30)
})

test('neither changes nor removes a service of another installation', async (t) => {
  const { engine, paths } = await engineOver(t, () => [200, [service(1, 'theirs')]])
  await assert.rejects(engine.updateService(spec), refused('conflict', /not made by this installation/))
  await assert.rejects(engine.removeService('db'), refused('conflict', /not made by this installation/))
  assert.deepEqual(paths(), ['GET /services', 'GET /services'])
})

test('does not take a name for its prefix', async (t) => {
  const { engine } = await engineOver(t, () => [200, [{ ...service(1), Spec: { ...service(1).Spec, Name: 'db2' } }]])
  assert.deepEqual(await engine.servicesNamed(['db']), [])
  await engine.removeService('db')
})

test('lists all services with their status in two calls', async (t) => {
  const { engine, asked } = await engineOver(t, ({ path }) => {
    if (path === '/networks') return [200, [{ ...overlay, Id: 'berth2', Name: 'berth2' }, overlay]]
    const TaskTemplate = { Networks: [{ Target: 'x' }] }
    return [
      200,
      [
        { ...service(1), Spec: { ...service(1).Spec, TaskTemplate } },
        { ...service(1), ID: 'id2' },
      ],
    ]
  })
  const found = await engine.services()
  assert.deepEqual(
    found.map(({ id, onNetwork }) => [id, onNetwork]),
    [
      ['id1', true],
      ['id2', false],
    ],
  )
  await engine.servicesNamed(['db'])
  assert.deepEqual(
    asked.map(({ path, query }) => [path.slice(6), query.status]),
    [
      ['/services', 'true'],
      ['/networks', undefined],
      ['/services', undefined],
    ],
  )
})

test('creates a removed network again before creating a service', async (t) => {
  let isThere = false
  const { engine, paths } = await engineOver(t, ({ method, path }) => {
    if (path === '/networks') return [200, []]
    if (method === 'POST' && path === '/networks/create') isThere = true
    return path === '/services/create' && !isThere ? [404, { message: 'network berth not found' }] : [201, {}]
  })
  await engine.createService(spec)
  assert.deepEqual(paths(), [
    'POST /services/create',
    'GET /networks',
    'POST /networks/create',
    'POST /services/create',
  ])
})

test('reads tasks again when a service is removed in between', async (t) => {
  let left = 2
  const { engine, paths } = await engineOver(t, ({ path }) => {
    if (path === '/services') return [200, [service(1)]]
    return left-- > 0 ? [404, { message: 'service id1 not found' }] : [200, []]
  })
  assert.deepEqual(await engine.tasks(['db']), [])
  assert.equal(paths().length, 6)
})

test('lists the tasks of thousands of services in two calls', async (t) => {
  const { engine, asked } = await engineOver(t, ({ path }) => (path === '/services' ? [200, [service(1)]] : [200, []]))
  await engine.tasks(Array.from({ length: 5000 }, (_, at) => `database-${at}`).concat('db'))
  await engine.tasks()
  assert.equal(asked.length, 4)
})

const info = (state: string, manager: boolean) =>
  [200, { Swarm: { NodeID: 'n', LocalNodeState: state, ControlAvailable: manager, Error: 'oh' } }] as [number, unknown]

test('leaves an existing swarm and network as they are', async (t) => {
  const { engine, paths } = await engineOver(t, ({ path }) =>
    path === '/info' ? info('active', true) : [200, path === '/networks' ? [overlay] : []],
  )
  await engine.prepare()
  assert.deepEqual(paths(), ['GET /info', 'GET /networks', 'GET /services', 'GET /configs', 'GET /secrets'])
})

const unfit: [title: string, answers: Answers, words: RegExp][] = [
  ['a worker', () => info('active', false), /is a worker of a swarm\. Point DOCKER_HOST/],
  ['a locked swarm', () => info('locked', false), /docker swarm unlock/],
  ['a swarm in error', () => info('error', false), /in state "error": oh/],
  [
    'a bridge of the name',
    ({ path }) => (path === '/info' ? info('active', true) : [200, [{ ...overlay, Driver: 'bridge', Scope: 'local' }]]),
    /"berth" is not an attachable overlay/,
  ],
  [
    'an overlay that cannot be attached to',
    ({ path }) => (path === '/info' ? info('active', true) : [200, [{ ...overlay, Attachable: false }]]),
    /"berth" is not an attachable overlay/,
  ],
  [
    'no range left',
    ({ path }) =>
      path === '/info'
        ? info('active', true)
        : [200, [{ ...overlay, Name: 'all', IPAM: { Config: [{ Subnet: '10.0.0.0/8' }] } }]],
    /No range/,
  ],
]
for (const [title, answers, words] of unfit) {
  test(`refuses to prepare ${title}, and creates nothing`, async (t) => {
    const { engine, asked } = await engineOver(t, answers)
    await assert.rejects(engine.prepare(), refused('conflict', words))
    assert.ok(asked.every(({ method }) => method === 'GET'))
  })
}

test('reports a node that is still joining as unavailable', async (t) => {
  const { engine } = await engineOver(t, () => info('pending', false))
  await assert.rejects(engine.prepare(), EngineUnavailable)
})

test('passes an address when the engine cannot choose one', async (t) => {
  const bodies: unknown[] = []
  const { engine } = await engineOver(t, ({ path, body }: Asked) => {
    if (path === '/info') return info('inactive', false)
    if (path !== '/swarm/init') return [200, path === '/networks' ? [overlay] : []]
    bodies.push(body)
    const words = 'could not choose an IP address to advertise since this system has multiple addresses'
    return bodies.length === 1 ? [400, { message: words }] : [200, 'n']
  })
  await engine.prepare()
  const addresses = bodies.map((it) => (it as { AdvertiseAddr: string }).AdvertiseAddr)
  assert.equal(addresses[0], '')
  assert.match(addresses[1] ?? '', /^\d+\.\d+\.\d+\.\d+$/)
})

test('prepares successfully when another process is first', async (t) => {
  let infos = 0
  let lists = 0
  const { engine } = await engineOver(t, ({ path }) => {
    if (path === '/info') return info(infos++ === 0 ? 'inactive' : 'active', infos > 1)
    if (['/services', '/configs', '/secrets'].includes(path)) return [200, []]
    if (path === '/swarm/init') return [503, { message: 'This node is already part of a swarm.' }]
    if (path === '/networks') return [200, lists++ === 0 ? [] : [overlay]]
    return [409, { message: 'network with name berth already exists' }]
  })
  await engine.prepare()
})

const started = {
  Type: 'container',
  Action: 'start',
  Actor: { Attributes: { name: 'db.1.x', 'com.docker.swarm.service.name': 'db' } },
}

test('assembles events from any chunks, and throws EngineUnavailable for a broken stream', async (t) => {
  const bytes = Buffer.from(`${JSON.stringify({ ...started, note: 'ü' })}\n${JSON.stringify(started)}\n`)
  const cut = bytes.indexOf(Buffer.from('ü')) + 1
  const { engine } = await engineOver(t, (_asked, response) => {
    response.writeHead(200)
    response.write(bytes.subarray(0, cut), () => setImmediate(() => response.end(bytes.subarray(cut))))
    return undefined
  })
  const events: EngineEvent[] = []
  await assert.rejects(
    engine.watch((it) => events.push(it), new AbortController().signal),
    EngineUnavailable,
  )
  assert.deepEqual(events, [
    { serviceName: null, action: 'watching' },
    { serviceName: 'db', action: 'start' },
    { serviceName: 'db', action: 'start' },
  ])
})

test('ends an aborted watch without an error', async (t) => {
  const { engine } = await engineOver(t, (_asked, response) => {
    response.writeHead(200).flushHeaders()
    return undefined
  })
  const stop = new AbortController()
  await engine.watch(() => stop.abort(), stop.signal)
  await engine.watch(() => assert.fail('it was called off before'), stop.signal)
})

test('refuses calls on a node that is not in the swarm', async (t) => {
  const task = {
    id: 't',
    serviceName: 'db',
    state: 'running',
    desired: 'running',
    failure: null,
    exitCode: 3,
    containerId: 'c',
    nodeId: 'other',
    address: null,
    digest: null,
    createdAt: '',
    updatedAt: '',
  } as const
  const { engine } = await engineOver(t, ({ path }) =>
    path === '/info' ? info('active', true) : [404, { message: 'No such container: c' }],
  )
  const run = (it: FoundTask) => engine.run(it, { argv: ['x'], env: {} }, 1000)
  await assert.rejects(engine.stats(task), refused('nodeMissing', /Node other is not in the swarm/))
  await assert.rejects(run({ ...task, nodeId: 'n' }), refused('missing', /No such/))
  await assert.rejects(run({ ...task, containerId: null }), refused('conflict', /no container/))
  await assert.rejects(engine.removeVolume('v', 'other'), refused('nodeMissing', /Node other is not in the swarm/))
  assert.deepEqual(await engine.exitReport(task), { exitCode: 3, outOfMemory: false, lastLines: [] })
})

test('counts a container that is about to be created as live, on any node', async (t) => {
  const task = (ID: string, NodeID: string | undefined, State: string) => ({ ID, NodeID, Status: { State } })
  const { engine } = await engineOver(t, ({ path }) => {
    if (path === '/info') return [200, { Swarm: { NodeID: 'here' } }]
    if (path === '/containers/json') {
      return [
        200,
        [
          { Names: ['/db.1.ended'], State: 'exited' },
          { Names: ['/db.1.failed'], State: 'created' },
          { Names: ['/db.1.starting'], State: 'created' },
        ],
      ]
    }
    return [
      200,
      [
        task('ended', 'here', 'running'),
        task('removed', 'here', 'running'),
        task('failed', 'here', 'failed'),
        task('starting', 'here', 'starting'),
        task('preparing', 'here', 'preparing'),
        task('new', undefined, 'pending'),
        task('there', 'other', 'running'),
      ],
    ]
  })
  assert.deepEqual(await engine.liveContainers('db'), ['db.1.starting', 'db.1.preparing', 'db.1.new', 'db.1.there'])
})
