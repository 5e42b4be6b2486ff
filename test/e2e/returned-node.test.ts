/**
 * Machines that leave a real swarm and join again, and a swarm that is made anew: Berth finds their volumes, and one
 * call takes them back with their data.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { compareData } from '../fixtures/compare-data.ts'
import type { Database } from '../fixtures/database-clients.ts'
import { freePort } from '../fixtures/free-port.ts'
import { until } from '../engine/until.ts'
import { clients } from './clients.ts'
import { type DatabaseClients, databaseClientsOn } from './database-clients.ts'
import { type MultiNodeBerth, startMultiNodeBerth } from './multi-node-berth.ts'
import type { Node } from './nodes.ts'

const managerImages = ['postgres:15', 'redis:8', 'haproxy:3.0', 'nginx:1', 'caddy:2', 'registry:2']
const [httpPort, httpsPort] = [await freePort(), await freePort()]
const waitHeader = { prefer: 'wait=120' }

interface NodeRecord {
  id: string
  hostname: string
  state: string
  returned: { nodeId: string; hostname: string; volumes: number }[]
}
interface Adoption {
  adopted: boolean
  volumes: { name: string; findingCode: string | null }[]
  message: string
}

let runtime: MultiNodeBerth
let postgres: DatabaseClients
let redis: DatabaseClients

before(async () => {
  const env = {
    BERTH_PROXY: 'service',
    BERTH_PROXY_HTTP_PORT: String(httpPort),
    BERTH_PROXY_HTTPS_PORT: String(httpsPort),
  }
  runtime = await startMultiNodeBerth(2, { managerImages, env, realProxy: true })
  const berth = { ...runtime.berth, projectId: runtime.projectId }
  postgres = databaseClientsOn(berth, kindNamed('postgres'), clients.postgres!)
  redis = databaseClientsOn(berth, kindNamed('redis'), clients.redis!)
})
after(() => runtime[Symbol.asyncDispose]())

async function call<T>(name: string, input: object = {}, headers: Record<string, string> = {}): Promise<T> {
  const { status, body } = await runtime.berth.call<T>(name, { ...input }, undefined, headers)
  assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`)
  return body
}
const nodes = () => call<NodeRecord[]>('cluster.getNodes')
const readyNode = ({ name }: Node, besides = '') =>
  until(
    `${name} to be ready`,
    async () => (await nodes()).find((each) => each.hostname === name && each.state === 'ready' && each.id !== besides),
    60_000,
  )
const refused = async (input: object) => {
  const { status, body } = await runtime.berth.call<Adoption>('cluster.adoptNode', { ...input })
  return [status, body.message]
}

/** Waits until Berth says where the volume of the database is. */
const untilFound = (databaseClients: DatabaseClients, database: Database) =>
  databaseClients.waitUntil(
    'the volume to be found',
    database,
    ({ statusCode }) => statusCode === 'NodeReturned',
    60_000,
  )

async function write(databaseClients: DatabaseClients, database: Database, text: string) {
  await databaseClients.open(database, (session) => session.write(text))
}

async function checkContent(databaseClients: DatabaseClients, database: Database, texts: string[]) {
  const found = await databaseClients.open(database, (session) => session.read())
  await compareData(`the content of ${database.appName}`, () => assert.deepEqual(found, texts))
}

test('the volumes of a worker that left and joined again are taken back once its old node is removed', async () => {
  const [placed] = await runtime.deployOnWorkers('redis')
  const { database, node } = placed!
  await write(redis, database, 'before')
  const { id: missingNodeId } = await readyNode(node)
  await node.docker('swarm', 'leave')
  await until(
    'the node to be down',
    async () => (await nodes()).some(({ id, state }) => id === missingNodeId && state === 'down'),
    60_000,
  )
  const { command } = await call<{ command: string }>('cluster.addWorker')
  await node.runCommandLine(command)
  const { id: nodeId } = await readyNode(node, missingNodeId)

  const [listed, why] = await refused({ missingNodeId, nodeId, confirm: node.name })
  assert.deepEqual([listed, /is still in the swarm: it is down/.test(String(why))], [409, true], String(why))
  await call('cluster.removeWorker', { nodeId: missingNodeId, force: true }, waitHeader)
  await untilFound(redis, database)
  const returned = (await nodes()).find(({ id }) => id === nodeId)!.returned
  assert.deepEqual(returned, [{ nodeId: missingNodeId, hostname: node.name, volumes: 1 }])

  const label = (await node.docker('volume', 'inspect', '--format', '{{json .Labels}}', database.volume!)).join('')
  const installation = `berth.installation=${(JSON.parse(label) as Record<string, string>)['berth.installation']}`
  await runtime.own.docker('volume', 'create', '--label', installation, database.volume!)
  const [cloned, both] = await refused({ missingNodeId, nodeId, confirm: node.name })
  assert.equal(cloned, 409)
  for (const name of [node.name, runtime.own.name]) assert.ok(String(both).includes(`node ${name} (`), String(both))
  await runtime.own.docker('volume', 'rm', database.volume!)

  const preview = await call<Adoption>('cluster.adoptNode', { missingNodeId, nodeId })
  assert.deepEqual([preview.adopted, preview.volumes.map(({ findingCode }) => findingCode)], [false, [null]])
  const adoption = await call<Adoption>('cluster.adoptNode', { missingNodeId, nodeId, confirm: node.name }, waitHeader)
  assert.equal(adoption.adopted, true)
  assert.equal((await redis.one(database)).applicationStatus, 'done')
  await checkContent(redis, database, ['before'])
  await redis.clear(database)
})

test('one call takes back all volumes of a swarm that was made anew: databases, ports, routes and the registry', async () => {
  const { own } = runtime
  const [first, second, removed] = [
    await postgres.deployed({ node: own.name }),
    await redis.deployed({ node: own.name }),
    await redis.create({ node: own.name }),
  ]
  await redis.done('deploy', removed)
  await redis.done('remove', removed, { removeData: false })
  await write(postgres, first, 'one')
  await write(redis, second, 'two')
  const host = `127.0.0.1:${await freePort()}`
  const registry = { registryUrl: host, username: 'team', password: 'a-long-password' }
  await call('registry.enableSelfHostedRegistry', registry, waitHeader)
  const { id: missingNodeId } = await readyNode(own)

  await own.docker('swarm', 'leave', '--force')
  // Berth makes a swarm by itself if it notices the loss first.
  await own.docker('swarm', 'init', '--advertise-addr', own.address).catch(() => [])
  const { id: nodeId } = await readyNode(own, missingNodeId)
  await Promise.all([untilFound(postgres, first), untilFound(redis, second)])
  const startedAt = Date.now()
  const adoption = await call<Adoption>('cluster.adoptNode', { missingNodeId, nodeId, confirm: own.name }, waitHeader)
  console.log('adopted after ms', Date.now() - startedAt)
  assert.deepEqual(
    adoption.volumes.map(({ findingCode }) => findingCode),
    [null, null, null, null],
  )
  await checkContent(postgres, first, ['one'])
  await checkContent(redis, second, ['two'])
  const running = async (name: string) =>
    (await own.docker('service', 'ls', '--format', '{{.Name}} {{.Replicas}}')).includes(`${name} 1/1`)
  await until('the registry to run', () => running('berth-registry'), 60_000)
  console.log('registry after ms', Date.now() - startedAt)
  for (const [databaseClients, database] of [
    [postgres, first],
    [redis, second],
  ] as const)
    assert.deepEqual((await databaseClients.one(database)).statusReason, null)
  assert.deepEqual(
    (await nodes()).flatMap(({ returned }) => returned),
    [],
  )
})
