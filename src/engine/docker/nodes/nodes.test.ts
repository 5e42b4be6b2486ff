/** Reads, changes and removes nodes through a fake API, with answers that a test cannot provoke in a real engine. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { fakeApi } from '../../../../test/engine/fake-api.ts'
import type { Answers } from '../../../../test/engine/fake-api.ts'
import type { ApiNode } from '../transport/api.ts'
import { dockerClient } from '../transport/client.ts'
import { dockerNodes, joinAddress, nodeFrom } from './nodes.ts'
import { cachedOwnNodeId } from './own-node.ts'
import { EngineFailure } from '../../engine.ts'

const apiNode = (changes: Partial<ApiNode> = {}): ApiNode => ({
  ID: 'n',
  Version: { Index: 7 },
  Spec: { Role: 'worker', Availability: 'drain' },
  Description: { Hostname: 'h' },
  Status: { State: 'down', Addr: '192.0.2.2' },
  ...changes,
})

test('translates a node of the swarm', () => {
  const minimal = {
    id: 'n',
    hostname: 'h',
    address: '192.0.2.2',
    role: 'worker',
    availability: 'drain',
    state: 'down',
    ready: false,
    active: false,
    local: false,
    manager: null,
    engineVersion: '',
    cpuCores: 0,
    memoryBytes: 0,
    labels: {},
  }
  assert.deepEqual(nodeFrom(apiNode(), 'other'), minimal)
  const complete = apiNode({
    Spec: { Role: 'manager', Availability: 'active', Labels: { disk: 'ssd' } },
    Status: { State: 'ready', Addr: 'a' },
    Description: {
      Hostname: 'h',
      Resources: { NanoCPUs: 1_500_000_000, MemoryBytes: 5 },
      Engine: { EngineVersion: '28.1' },
    },
    ManagerStatus: { Leader: true, Reachability: 'reachable', Addr: '192.0.2.1:2377' },
  })
  assert.deepEqual(nodeFrom(complete, 'n'), {
    id: 'n',
    hostname: 'h',
    address: 'a',
    role: 'manager',
    availability: 'active',
    state: 'ready',
    ready: true,
    active: true,
    local: true,
    manager: { leader: true, reachable: true },
    engineVersion: '28.1',
    cpuCores: 1.5,
    memoryBytes: 5,
    labels: { disk: 'ssd' },
  })
  assert.deepEqual(nodeFrom(apiNode({ ManagerStatus: { Reachability: 'unreachable', Addr: '' } }), 'x').manager, {
    leader: false,
    reachable: false,
  })
  assert.equal(nodeFrom(apiNode({ Status: { State: 'a future state' } }), 'x').state, 'unknown')
  assert.equal(nodeFrom(apiNode({ Description: {} }), 'x').hostname, '')
})

test('uses the manager address for a node reported as 0.0.0.0', () => {
  const address = (Addr: string, manager?: string) =>
    nodeFrom(
      apiNode({ Status: { State: 'ready', Addr }, ...(manager ? { ManagerStatus: { Addr: manager } } : {}) }),
      'x',
    ).address
  assert.equal(address('0.0.0.0', '192.0.2.1:2377'), '192.0.2.1')
  assert.equal(address('::', '[2001:db8::1]:2377'), '2001:db8::1')
  assert.equal(address('192.0.2.2', '192.0.2.1:2377'), '192.0.2.2')
  assert.equal(address('0.0.0.0'), '0.0.0.0')
})

test('returns the join address of the manager, with an IPv6 host in brackets', () => {
  const cases: [manager: string, nodeAddress: string, expected: string][] = [
    ['192.0.2.1:2377', '198.51.100.1', '192.0.2.1:2377'],
    ['192.0.2.1:4000', '', '192.0.2.1:4000'],
    ['[2001:db8::1]:2377', '', '[2001:db8::1]:2377'],
    ['0.0.0.0:4000', '192.0.2.1', '192.0.2.1:4000'],
    ['127.0.0.1:2377', '2001:db8::1', '[2001:db8::1]:2377'],
    ['', '192.0.2.1', '192.0.2.1:2377'],
  ]
  for (const [manager, nodeAddress, expected] of cases) assert.equal(joinAddress(manager, nodeAddress), expected)
})

async function nodesWith(t: TestContext, answers: Answers) {
  const api = await fakeApi(({ path, ...rest }, response) => answers({ ...rest, path: path.slice(6) }, response))
  t.after(api.close)
  const writes = () =>
    api.requests
      .filter(({ method }) => method !== 'GET')
      .map(({ path, query, body }) => ({ path: path.slice(6), query, body }))
  const client = dockerClient(api.dockerHost, null, 2000)
  const nodes = dockerNodes(client, cachedOwnNodeId(client), { networkName: 'berth' })
  return { nodes, requests: api.requests, writes }
}

test('reads the id of the own node at each call until the swarm exists, then caches the id for a while', async (t) => {
  let nodeId = ''
  const { nodes, requests } = await nodesWith(t, ({ path }) => [
    200,
    path === '/info' ? { Swarm: { NodeID: nodeId } } : [apiNode(), apiNode({ ID: 'own' })],
  ])
  const localIds = async () => (await nodes.nodes()).filter(({ local }) => local).map(({ id }) => id)
  assert.deepEqual(await localIds(), [])
  nodeId = 'own'
  for (let n = 0; n < 5; n++) assert.deepEqual(await localIds(), ['own'])
  assert.equal(requests.filter(({ path }) => path.endsWith('/info')).length, 2)
  t.mock.method(performance, 'now', () => Number.MAX_SAFE_INTEGER)
  nodeId = 'n'
  assert.deepEqual(await localIds(), ['n'])
})

const outOfSequence = [500, { message: 'rpc error: code = Unknown desc = update out of sequence' }] as [number, unknown]

test('keeps the fields of a node that a change does not name, and retries after a concurrent update', async (t) => {
  let index = 10
  const Spec = { Name: 'x', Role: 'worker', Availability: 'active', Labels: { disk: 'ssd' } }
  const { nodes, writes } = await nodesWith(t, ({ method, query }) => {
    if (method === 'GET') return [200, apiNode({ Version: { Index: ++index }, Spec })]
    return query.version === '12' ? [200, {}] : outOfSequence
  })
  await nodes.updateNode('a/b', { availability: 'drain' })
  const body = { ...Spec, Availability: 'drain' }
  const path = '/nodes/a%2Fb/update'
  assert.deepEqual(writes(), [
    { path, query: { version: '11' }, body },
    { path, query: { version: '12' }, body },
  ])
})

test('asks after each read of a node whether its change is still wanted', async (t) => {
  const Spec = { Name: 'x', Role: 'worker', Availability: 'active' }
  const { nodes, writes } = await nodesWith(t, ({ method }) =>
    method === 'GET' ? [200, apiNode({ Version: { Index: 1 }, Spec })] : outOfSequence,
  )
  const answers = [true, false]
  await nodes.updateNode('a', { availability: 'drain' }, async () => answers.shift()!)
  assert.deepEqual([writes().length, answers], [1, []])
})

test('rotates a token without changing the specification of the swarm', async (t) => {
  const swarm = { Version: { Index: 3 }, Spec: { Name: 'default', CAConfig: { NodeCertExpiry: 1 } } }
  const { nodes, writes } = await nodesWith(t, ({ method }) => [200, method === 'GET' ? swarm : {}])
  await nodes.rotateToken('worker')
  await nodes.rotateToken('manager')
  const path = '/swarm/update'
  assert.deepEqual(writes(), [
    { path, query: { version: '3', rotateWorkerToken: 'true' }, body: swarm.Spec },
    { path, query: { version: '3', rotateManagerToken: 'true' }, body: swarm.Spec },
  ])
})

test('lists tasks that have not ended, with their services, but no containers attached by hand', async (t) => {
  const task = (ID: string, State: string, ServiceID?: string) => ({
    ID,
    ServiceID,
    NodeID: 'n',
    CreatedAt: '2026-01-01T00:00:00Z',
    UpdatedAt: '',
    DesiredState: 'shutdown',
    Spec: {},
    Status: { State },
  })
  const { nodes, requests } = await nodesWith(t, ({ path }) => [
    200,
    path === '/tasks'
      ? [task('a', 'running', 's1'), task('b', 'running'), task('c', 'shutdown', 's1'), task('d', 'preparing', 's2')]
      : [{ ID: 's1', Version: { Index: 1 }, CreatedAt: '', Spec: { Name: 'db', TaskTemplate: {} } }],
  ])
  const tasks = await nodes.tasksOn('n')
  assert.deepEqual(
    tasks.map(({ id, serviceName, state, desired }) => [id, serviceName, state, desired]),
    [
      ['a', 'db', 'running', 'shutdown'],
      ['d', 's2', 'preparing', 'shutdown'],
    ],
  )
  assert.deepEqual(
    requests.map(({ query }) => JSON.parse(query.filters!)),
    [{ node: ['n'] }, { id: ['s1', 's2'] }],
  )
})

test('returns no tasks for a missing node, and removes it without an error', async (t) => {
  const missing = await nodesWith(t, () => [404, { message: 'node n not found' }])
  assert.deepEqual(await missing.nodes.tasksOn('n'), [])
  await missing.nodes.removeNode('n', true)
  assert.deepEqual(missing.writes(), [{ path: '/nodes/n', query: { force: 'true' }, body: undefined }])
})

test('throws the message of the engine when the engine refuses to remove a node', async (t) => {
  const message = "rpc error: code = FailedPrecondition desc = node n is not down and can't be removed"
  const up = await nodesWith(t, () => [400, { message }])
  await assert.rejects(
    up.nodes.removeNode('n', false),
    (error: unknown) => error instanceof EngineFailure && error.message === "node n is not down and can't be removed",
  )
})
