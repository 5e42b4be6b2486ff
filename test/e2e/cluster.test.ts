/** The nodes of a real swarm: they join by what Berth answers, pull from its registry, and leave without a loss. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import type { Database } from '../fixtures/database-clients.ts'
import { clients } from './clients.ts'
import { type Fields, type DatabaseClients, databaseClientsOn } from './database-clients.ts'
import { type NodesWorld, openNodes } from './nodes-world.ts'
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

let runtime: NodesWorld
let databaseClients: DatabaseClients
let registry: Registry
/** On the second node and on the third. */
let second: Database
let third: Database

before(async () => {
  const ofWorkers = ['nginx:1']
  runtime = await openNodes(3, { ofOwn: [...ofWorkers, 'redis:8', 'registry:2'], ofWorkers })
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
const refusal = async (name: string, input: Fields) => {
  const { status, body } = await runtime.berth.call<{ message: string }>(name, input, undefined, wait)
  assert.equal(status, 409, JSON.stringify(body))
  return body.message
}
const nodes = () => call<NodeBody[]>('cluster.getNodes')
const idOf = async (hostname: string) => (await nodes()).find((it) => it.hostname === hostname)!.id
const images = (at: number) => runtime.workers[at]!.docker('image', 'ls', '--quiet', `${registry.host}/team/redis`)

/** From the registry, on a node that has no copy. */
async function deployOn(node: string): Promise<Database> {
  const made = await call<Database>('redis.create', {
    name: node,
    appName: `on-${node}`,
    projectId: runtime.projectId,
    databasePassword: 'p4ssw0rd',
    node,
    dockerImage: 'team/redis:8',
    registryId: registry.registryId,
  })
  const { status, body } = await databaseClients.callAndWait('deploy', made)
  assert.equal(status, 200, body.message)
  return databaseClients.one(made)
}

test('they have joined by the command, and are listed', async () => {
  assert.deepEqual(
    (await nodes()).map((it) => [it.hostname, it.role, it.availability, it.state, it.isOwn]).toSorted(),
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

test('a database is deployed of an image in the registry, on nodes without a copy, before and after a rotation', async () => {
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

test('a node with data on it is neither removed nor drained, and what would be lost is named', async () => {
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

test('a node without data is drained of what runs there, and removed', async () => {
  await databaseClients.done('remove', third, { removeData: true })
  // Somebody else's: it moves.
  await runtime.own.docker(
    'service',
    'create',
    '--detach',
    '--quiet',
    '--name',
    'theirs',
    '--replicas',
    '2',
    '--constraint',
    'node.role==worker',
    '--stop-grace-period',
    '1s',
    'nginx:1',
    'sleep',
    '100000',
  )
  const there = () => runtime.workers[1]!.docker('ps', '--quiet', '--filter', 'name=theirs')
  await until('it to run there', async () => (await there()).length === 1)
  await call('cluster.removeWorker', { nodeId: await idOf('node3') })
  assert.deepEqual(await there(), [])
  assert.deepEqual((await nodes()).map(({ hostname }) => hostname).toSorted(), ['node1', 'node2'])
  await runtime.own.docker('service', 'rm', 'theirs')
})

test('it joins again by a token that was rotated, and not by the one before', async () => {
  const node = runtime.workers[1]!
  const { command: old } = await call<{ command: string }>('cluster.addWorker')
  await node.paste('docker swarm leave --force')
  const { command } = await call<{ command: string }>('cluster.rotateTokens', { role: 'worker' })
  await assert.rejects(node.paste(old), /valid join token/)
  await node.paste(command)
  await until('it to be ready', async () =>
    (await nodes()).some(({ hostname, state }) => hostname === 'node3' && state === 'ready'),
  )
})

test('by force a node goes with its data: its databases say so, and are never started empty elsewhere', async () => {
  const { lost } = await call<{ lost: string[] }>('cluster.removeWorker', { nodeId: await idOf('node2'), force: true })
  assert.match(lost.join(), /on-node2/)
  const gone = await databaseClients.waitUntil('the loss', second, (it) => it.applicationStatus === 'error', 30_000)
  assert.match(gone.statusReason!, /node2.*Restore a backup/)
  const { status, body } = await databaseClients.callAndWait('deploy', second)
  assert.equal(status, 422)
  assert.match(body.message, /node2/)
  assert.deepEqual(
    (await runtime.engine.tasks([second.appName])).filter(({ state }) => state === 'running'),
    [],
  )
})
