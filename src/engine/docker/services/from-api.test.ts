import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiService, ApiServiceSpec, ApiTask } from '../transport/api.ts'
import { eventFrom, newestFirst, serviceFrom, taskFrom } from './from-api.ts'
import type { FoundService } from '../../engine.ts'

const task = (changes: Partial<ApiTask> = {}, status: Partial<ApiTask['Status']> = {}): ApiTask => ({
  ID: 't',
  CreatedAt: '2026-01-01T00:00:00Z',
  UpdatedAt: '2026-01-01T00:00:01Z',
  DesiredState: 'running',
  Spec: {},
  ...changes,
  Status: { State: 'running', Message: 'started', ...status },
})
const translatedTask = (changes?: Partial<ApiTask>, status?: Partial<ApiTask['Status']>) =>
  taskFrom(task(changes, status), 'db', 'berth')

test('translates a running task', () => {
  const running = translatedTask(
    {
      NodeID: 'n1',
      Spec: { ContainerSpec: { Labels: { 'berth.digest': 'd1' } } },
      NetworksAttachments: [
        { Network: { Spec: { Name: 'ingress' } }, Addresses: ['10.0.0.5/24'] },
        { Network: { Spec: { Name: 'berth' } }, Addresses: ['10.200.0.7/16'] },
      ],
    },
    { ContainerStatus: { ContainerID: 'c1', ExitCode: 0 } },
  )
  assert.deepEqual(running, {
    id: 't',
    serviceName: 'db',
    state: 'running',
    desired: 'running',
    failure: null,
    exitCode: null,
    containerId: 'c1',
    nodeId: 'n1',
    address: '10.200.0.7',
    digest: 'd1',
    createdAt: '2026-01-01T00:00:00Z',
    updatedAt: '2026-01-01T00:00:01Z',
  })
})

test('translates a new task', () => {
  const { containerId, nodeId, address, digest } = translatedTask({ NetworksAttachments: null }, { State: 'new' })
  assert.deepEqual([containerId, nodeId, address, digest], [null, null, null, null])
})

const errors: [state: string, err: string, message: string, error: string][] = [
  ['pending', 'no suitable node (x)', 'pending task scheduling', 'no suitable node (x)'],
  ['pending', '', 'pending task scheduling', ''],
  ['preparing', '', 'preparing', ''],
  ['rejected', 'No such image: x', 'preparing', 'No such image: x'],
  ['failed', 'task: non-zero exit (1)', 'started', 'task: non-zero exit (1)'],
  ['failed', '', 'started', 'started'],
  ['shutdown', '', 'shutdown', ''],
  ['running', '', 'started', ''],
]
for (const [state, Err, Message, error] of errors) {
  test(`reads the error of a task in state ${state} with Err "${Err}" and Message "${Message}"`, () => {
    assert.equal(translatedTask({}, { State: state, Err, Message }).failure?.detail ?? '', error)
  })
}

test('translates states and desired states', () => {
  const stateOf = (State: string) => translatedTask({}, { State }).state
  assert.deepEqual(['allocated', 'assigned', 'accepted', 'ready', 'starting', 'remove', 'unknown-state'].map(stateOf), [
    'new',
    'pending',
    'pending',
    'preparing',
    'starting',
    'remove',
    'new',
  ])
  const desiredOf = (DesiredState: string) => translatedTask({ DesiredState }).desired
  assert.deepEqual(['running', 'ready', 'accepted', 'shutdown', 'remove', 'complete'].map(desiredOf), [
    'running',
    'running',
    'running',
    'shutdown',
    'shutdown',
    'shutdown',
  ])
})

test('reads an exit code only of ended tasks that had a container', () => {
  const exitOf = (State: string, ContainerStatus: NonNullable<ApiTask['Status']['ContainerStatus']> | null) =>
    translatedTask({}, { State, ContainerStatus }).exitCode
  assert.equal(exitOf('failed', { ContainerID: 'c', ExitCode: 3 }), 3)
  assert.equal(exitOf('complete', { ContainerID: 'c' }), 0)
  assert.equal(exitOf('running', { ContainerID: 'c', ExitCode: 0 }), null)
  assert.equal(exitOf('failed', {}), null)
  assert.equal(exitOf('rejected', null), null)
})

test('sorts tasks by nanoseconds, newest first', () => {
  const times = [
    '2026-01-01T00:00:01.5Z',
    '2026-01-01T00:00:01.500000001Z',
    '2026-01-01T00:00:01Z',
    '2026-01-01T00:00:01.49Z',
    '2026-01-01T00:00:02Z',
  ]
  const sorted = times
    .map((CreatedAt) => translatedTask({ CreatedAt }))
    .sort(newestFirst)
    .map((it) => it.createdAt)
  assert.deepEqual(sorted, [times[4], times[1], times[0], times[3], times[2]])
})

const service = (spec: Partial<ApiServiceSpec> = {}, fields: Partial<ApiService> = {}) =>
  serviceFrom(
    {
      ID: 'i',
      Version: { Index: 1 },
      CreatedAt: '2026-01-01T00:00:00Z',
      Spec: { Name: 'x', TaskTemplate: {}, ...spec },
      ...fields,
    },
    new Set(['berth', 'network id']),
  )

test('translates a service with the fewest fields', () => {
  assert.deepEqual(service(), {
    id: 'i',
    name: 'x',
    labels: {},
    digest: null,
    createdAt: '2026-01-01T00:00:00Z',
    published: [],
    onNetwork: false,
    volumes: [],
    nodeId: null,
    replicas: 0,
    running: 0,
    image: '',
  })
})

test('reads the mounted volumes and the node of a service', () => {
  const Mounts = [
    { Type: 'volume', Source: 'v', Target: '/data' },
    { Type: 'volume', Target: '/anonymous' },
    { Type: 'bind', Source: '/etc', Target: '/etc' },
  ]
  const Constraints = ['node.role!=worker', 'node.id == n1']
  const { volumes, nodeId } = service({ TaskTemplate: { ContainerSpec: { Mounts }, Placement: { Constraints } } })
  assert.deepEqual([volumes, nodeId], [['v'], 'n1'])
})

test('lists requested and assigned ports without duplicates', () => {
  const requested = [
    { Protocol: 'tcp', PublishedPort: 80 },
    { Protocol: 'udp', PublishedPort: 80, PublishMode: 'host' },
    { Protocol: 'tcp', TargetPort: 81 },
    { Protocol: 'sctp', PublishedPort: 82 },
  ]
  const assigned = [
    { Protocol: 'tcp', PublishedPort: 80 },
    { Protocol: 'tcp', PublishedPort: 30000, TargetPort: 81 },
  ]
  const { published } = service({ EndpointSpec: { Ports: requested } }, { Endpoint: { Ports: assigned } })
  assert.deepEqual(published, [
    { port: 80, protocol: 'tcp' },
    { port: 80, protocol: 'udp' },
    { port: 30000, protocol: 'tcp' },
  ])
})

test("recognizes Berth's network by its name or its id", () => {
  const networks = (Target: string) => [{ Target: 'other' }, { Target }]
  const specs: Partial<ApiServiceSpec>[] = [
    { TaskTemplate: { Networks: networks('berth') } },
    { Networks: networks('berth') },
    { TaskTemplate: { Networks: networks('network id') } },
    { TaskTemplate: { Networks: networks('berth2') } },
  ]
  assert.deepEqual(
    specs.map((spec) => service(spec).onNetwork),
    [true, true, true, false],
  )
})

test('reads the counts of wanted and running tasks', () => {
  const counts = ({ replicas, running }: FoundService) => [replicas, running]
  const spec = { Mode: { Replicated: { Replicas: 3 } } }
  assert.deepEqual(counts(service(spec)), [3, 0])
  assert.deepEqual(counts(service(spec, { ServiceStatus: { RunningTasks: 1, DesiredTasks: 2 } })), [2, 1])
  assert.deepEqual(counts(service({}, { ServiceStatus: { RunningTasks: 5, DesiredTasks: 5 } })), [5, 5])
})

test("returns no digest for someone else's service", () => {
  const digestWith = (Labels: Record<string, string> | null) => service({ Labels }).digest
  assert.equal(digestWith({ 'berth.installation': 'mine', 'berth.digest': 'd' }), 'd')
  assert.equal(digestWith({ 'berth.digest': 'd' }), null)
  assert.equal(digestWith(null), null)
})

test('reads the service name of an event', () => {
  const serviceNameOf = (Type: string, Attributes?: Record<string, string>) =>
    eventFrom({ Type, Action: 'start', Actor: Attributes ? { Attributes } : {} }, 'mine').serviceName
  assert.equal(serviceNameOf('container', { name: 'db.1.x', 'com.docker.swarm.service.name': 'db' }), 'db')
  assert.equal(serviceNameOf('container', { name: 'someone' }), null)
  assert.equal(serviceNameOf('service', { name: 'db' }), 'db')
  assert.equal(serviceNameOf('node', { name: 'host' }), null)
  assert.equal(serviceNameOf('node'), null)
})

test("tells events of networks and of others' containers from those that work may wait for", () => {
  const isForeign = (Type: string, installation?: string) => {
    const Attributes = { name: 'db', ...(installation === undefined ? {} : { 'berth.installation': installation }) }
    return eventFrom({ Type, Action: 'die', Actor: { Attributes } }, 'mine').isForeign
  }
  assert.deepEqual([isForeign('container', 'mine'), isForeign('service'), isForeign('node')], [false, false, false])
  assert.deepEqual([isForeign('container', 'theirs'), isForeign('container'), isForeign('network')], [true, true, true])
})
