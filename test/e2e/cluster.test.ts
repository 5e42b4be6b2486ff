/** Nodes of a real swarm join with Berth's command, pull from its registry, and are drained and removed. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import type { Database } from '../fixtures/database-clients.ts'
import { clients } from './clients.ts'
import { type Fields, type DatabaseClients, databaseClientsOn } from './database-clients.ts'
import { type MultiNodeBerth, startMultiNodeBerth } from './multi-node-berth.ts'
import { pushAs } from './registry.ts'

interface NodeBody {
  id: string
  hostname: string
  role: string
  availability: string
  state: string
  address: string
  isOwn: boolean
  pinned: { type: string; name: string }[]
}

interface Registry {
  registryId: string
  host: string
  server: { status: string; statusReason: string | null }
}

const wait = { prefer: 'wait=120' }
const team = { username: 'team', password: 'a first password' }

let runtime: MultiNodeBerth
let databaseClients: DatabaseClients
let registry: Registry
/** The database on the second node. */
let second: Database
/** The database on the third node. */
let third: Database

before(async () => {
  const workerImages = ['haproxy:3.0']
  runtime = await startMultiNodeBerth(3, {
    managerImages: [...workerImages, 'redis:8', 'registry:2'],
    workerImages: workerImages,
  })
  databaseClients = databaseClientsOn(
    { ...runtime.berth, projectId: runtime.projectId },
    kindNamed('redis'),
    clients.redis!,
  )
})

after(async () => {
  await runtime[Symbol.asyncDispose]()
})

async function call<T = Fields>(name: string, input: Fields = {}): Promise<T> {
  const { status, body } = await runtime.berth.call<T>(name, input, undefined, wait)
  assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`)
  return body
}
/** Asserts that a call is refused with 409, and returns the message. */
const refusal = async (name: string, input: Fields) => {
  const { status, body } = await runtime.berth.call<{ message: string }>(name, input, undefined, wait)
  assert.equal(status, 409, JSON.stringify(body))
  return body.message
}
const nodes = () => call<NodeBody[]>('cluster.getNodes')
const idOf = async (hostname: string) => (await nodes()).find((node) => node.hostname === hostname)!.id
/** Returns the ids of a worker's copies of the Redis image in Berth's registry. */
const images = (worker: number) =>
  runtime.workers[worker]!.docker('image', 'ls', '--quiet', `${registry.host}/team/redis`)

/** Deploys Redis with the image of Berth's registry on a node. */
async function deployOn(node: string): Promise<Database> {
  const created = await call<Database>('redis.create', {
    name: node,
    appName: `on-${node}`,
    projectId: runtime.projectId,
    databasePassword: 'p4ssw0rd',
    node,
    dockerImage: 'team/redis:8',
    registryId: registry.registryId,
  })
  const { status, body } = await databaseClients.callAndWait('deploy', created)
  assert.equal(status, 200, body.message)
  return databaseClients.one(created)
}

test('nodes that joined with the command are listed', async () => {
  assert.deepEqual(
    (await nodes()).map((node) => [node.hostname, node.role, node.availability, node.state, node.isOwn]).toSorted(),
    [
      ['node1', 'manager', 'active', 'ready', true],
      ['node2', 'worker', 'active', 'ready', false],
      ['node3', 'worker', 'active', 'ready', false],
    ],
  )
  for (const { hostname, address } of await nodes()) {
    assert.equal(address, [runtime.own, ...runtime.workers].find(({ name }) => name === hostname)!.address)
  }
})

test('nodes pull an image of the registry before and after its password changes', async () => {
  const enable = (more: Fields) =>
    call<Registry>('registry.enableSelfHostedRegistry', {
      registryUrl: `${runtime.own.address}:5000`,
      ...team,
      ...more,
    })
  registry = await enable({})
  assert.equal(registry.server.status, 'done', registry.server.statusReason ?? '')
  const image = `${registry.host}/team/redis:8`
  await runtime.own.docker('tag', 'redis:8', image)
  await pushAs(image, registry.host, team.username, team.password, runtime.own.host)
  assert.deepEqual([await images(0), await images(1)], [[], []])
  second = await deployOn('node2')
  assert.deepEqual([second.node, (await images(0)).length, await images(1)], ['node2', 1, []])
  await enable({ password: 'a second one' })
  third = await deployOn('node3')
  assert.deepEqual([third.node, (await images(1)).length], ['node3', 1])
})

test('removing or draining a node with data is refused with the names of its databases', async () => {
  const node2 = await idOf('node2')
  assert.match(await refusal('cluster.removeWorker', { nodeId: node2 }), /on-node2/)
  assert.match(await refusal('cluster.updateNode', { nodeId: node2, availability: 'drain' }), /on-node2/)
  const own = await idOf('node1')
  for (const force of [false, true]) await refusal('cluster.removeWorker', { nodeId: own, force })
  assert.deepEqual(
    (await nodes()).map(({ availability }) => availability),
    ['active', 'active', 'active'],
  )
  assert.deepEqual(
    (await nodes()).find(({ id }) => id === node2)!.pinned.map(({ type, name }) => [type, name]),
    [['database', 'on-node2']],
  )
})

test('removing a node without data drains it first', async () => {
  await databaseClients.done('remove', third, { removeData: true })
  // A service that Berth does not own. Swarm reschedules it on the other worker.
  await runtime.own.docker(
    'service',
    'create',
    '--detach',
    '--quiet',
    '--name',
    'foreign',
    '--replicas',
    '2',
    '--constraint',
    'node.role==worker',
    '--stop-grace-period',
    '1s',
    'haproxy:3.0',
    'sleep',
    '100000',
  )
  const containersOnNode3 = () => runtime.workers[1]!.docker('ps', '--quiet', '--filter', 'name=foreign')
  await until('the foreign service to run on node3', async () => (await containersOnNode3()).length === 1)
  await call('cluster.removeWorker', { nodeId: await idOf('node3') })
  assert.deepEqual(await containersOnNode3(), [])
  assert.deepEqual((await nodes()).map(({ hostname }) => hostname).toSorted(), ['node1', 'node2'])
  await runtime.own.docker('service', 'rm', 'foreign')
})

test('a removed node joins again with the rotated token, and not with the previous one', async () => {
  const node = runtime.workers[1]!
  const { command: previous } = await call<{ command: string }>('cluster.addWorker')
  await node.runCommandLine('docker swarm leave --force')
  const { command } = await call<{ command: string }>('cluster.rotateTokens', { role: 'worker' })
  await assert.rejects(node.runCommandLine(previous), /valid join token/)
  await node.runCommandLine(command)
  await until('node3 to be ready', async () =>
    (await nodes()).some(({ hostname, state }) => hostname === 'node3' && state === 'ready'),
  )
})

test('forced removal of a node marks its databases as lost and never starts them empty on another node', async () => {
  const { lost } = await call<{ lost: string[] }>('cluster.removeWorker', { nodeId: await idOf('node2'), force: true })
  assert.match(lost.join(), /on-node2/)
  const record = await databaseClients.waitUntil(
    'the loss to be recorded',
    second,
    ({ applicationStatus }) => applicationStatus === 'error',
    30_000,
  )
  assert.match(record.statusReason!, /node2.*Restore a backup/)
  const { status, body } = await databaseClients.callAndWait('deploy', second)
  assert.equal(status, 422)
  assert.match(body.message, /node2/)
  assert.deepEqual(
    (await runtime.engine.tasks([second.appName])).filter(({ state }) => state === 'running'),
    [],
  )
})
