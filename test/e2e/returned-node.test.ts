/**
 * Machines that leave a real swarm and join again, and a swarm that is made anew: Berth finds their volumes, and one
 * call takes them back with their data.
 */
import assert from 'node:assert/strict'
import { get, type IncomingMessage } from 'node:http'
import { after, before, test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { type MemoryBucket, memoryBucket } from '../backups/memory-bucket.ts'
import { compareData } from '../fixtures/compare-data.ts'
import type { Database } from '../fixtures/database-clients.ts'
import { freePort } from '../fixtures/free-port.ts'
import { restingSchedule } from '../fixtures/resting-schedule.ts'
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
  const { missingNodeId, nodeId } = await runtime.leaveAndJoin(node)

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

test('one call takes back all of a swarm that was made anew: databases, ports, routes, schedules and the registry', async () => {
  const { own } = runtime
  await using bucket = await memoryBucket()
  const [first, second, removed] = [
    await postgres.deployed({ node: own.name }),
    await redis.deployed({ node: own.name }),
    await redis.create({ node: own.name }),
  ]
  await redis.done('deploy', removed)
  await redis.done('remove', removed, { removeData: false })
  await write(postgres, first, 'one')
  await write(redis, second, 'two')
  const host = `${own.address}:${await freePort()}`
  const registry = { registryUrl: host, insecure: true, username: 'team', password: 'a-long-password' }
  const { registryId } = await call<{ registryId: string }>('registry.enableSelfHostedRegistry', registry, waitHeader)
  const backupId = await schedule(bucket, first)
  const { nextAt } = await call<{ nextAt: string }>('backup.one', { backupId })
  await deployApplication()
  await call('redirects.create', {
    applicationId: 'web',
    regex: '/old',
    replacement: 'http://web.test/new',
    permanent: true,
  })
  await until('the redirect', async () => (await ask('/old')).location === 'http://web.test/new', 60_000)
  const { id: missingNodeId } = await readyNode(own)

  await own.docker('swarm', 'leave', '--force')
  // Berth makes a swarm by itself if it notices the loss first.
  await own.docker('swarm', 'init', '--advertise-addr', own.address).catch(() => [])
  const { id: nodeId } = await readyNode(own, missingNodeId)
  await Promise.all([untilFound(postgres, first), untilFound(redis, second)])
  const adoption = await call<Adoption>('cluster.adoptNode', { missingNodeId, nodeId, confirm: own.name }, waitHeader)
  assert.deepEqual(
    adoption.volumes.map(({ findingCode }) => findingCode),
    [null, null, null, null],
  )
  await checkContent(postgres, first, ['one'])
  await checkContent(redis, second, ['two'])
  for (const [databaseClients, database] of [
    [postgres, first],
    [redis, second],
  ] as const) {
    const { applicationStatus, statusReason } = await databaseClients.one(database)
    assert.deepEqual([applicationStatus, statusReason], ['done', null])
  }
  assert.deepEqual(
    (await nodes()).flatMap(({ returned }) => returned),
    [],
  )
  await until('the registry to run', () => runsRegistry(registryId), 60_000)

  // Somebody deploys the application again: Berth did not create it.
  await deployApplication()
  await until('the redirect to be back', async () => (await ask('/old')).location === 'http://web.test/new', 60_000)
  assert.equal((await call<{ nextAt: string }>('backup.one', { backupId })).nextAt, nextAt)
  await call('backup.manualBackupPostgres', { backupId }, waitHeader)
  assert.ok([...bucket.objects.keys()].some((key) => key.startsWith('anew/')))
  await postgres.done('stop', first)
  assert.equal((await postgres.done('start', first)).applicationStatus, 'done')
  await checkContent(postgres, first, ['one'])
})

/** A backup of the database with a schedule. Returns its id. */
async function schedule({ settings }: MemoryBucket, database: Database): Promise<string> {
  const { destinationId } = await call<{ destinationId: string }>('destination.create', { name: 'bucket', ...settings })
  const { backupId } = await call<{ backupId: string }>('backup.create', {
    ...{ schedule: restingSchedule, prefix: 'anew', destinationId },
    ...{ database: 'shop', databaseType: 'postgres', postgresId: database.postgresId },
  })
  return backupId
}

async function runsRegistry(registryId: string): Promise<boolean> {
  const services = await runtime.own.docker('service', 'ls', '--format', '{{.Name}} {{.Replicas}}')
  const { server } = await call<{ server: { status: string } }>('registry.one', { registryId })
  return services.includes('berth-registry 1/1') && server.status === 'done'
}

/** A service that Berth did not create, with a route. */
async function deployApplication() {
  const labels = ['--label', 'berth.port=8080', '--label', 'berth.host=web.test']
  const program = ['caddy:2', 'caddy', 'respond', '--listen', ':8080', '--body', 'web']
  await runtime.own.docker(
    'service',
    'create',
    '--detach',
    '--name',
    'web',
    ...labels,
    '--network',
    'berth',
    ...program,
  )
  await until('the application to answer', async () => (await ask('/').catch(() => null))?.status === 200, 60_000)
}

/** Asks the proxy for a path of the application. */
async function ask(path: string): Promise<{ status: number; location: string | undefined }> {
  const answered = Promise.withResolvers<IncomingMessage>()
  const options = { host: runtime.own.address, port: httpPort, path, headers: { host: 'web.test' }, agent: false }
  get(options, answered.resolve).on('error', answered.reject)
  const { statusCode, headers } = (await answered.promise).resume()
  return { status: statusCode!, location: headers.location }
}
