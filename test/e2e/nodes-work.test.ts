/**
 * Work on other nodes of one swarm: first while Berth's own node is paused, so that it takes no new containers; then
 * images on the node of the database, and drains, which finish the work on a node first.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { clients } from './clients.ts'
import { type DatabaseClients, databaseClientsOn, type Fields } from './database-clients.ts'
import { type MultiNodeBerth, type PlacedDatabase, startMultiNodeBerth } from './multi-node-berth.ts'
import { assertNoOutage } from './planned-work.ts'

/** Each of these images is on one side only. */
const [onWorkers, onManager] = ['postgres:15', 'redis:8']

interface NodeBody {
  id: string
  hostname: string
  availability: string
  isOwn: boolean
  engineState: { state: string; reasonCode: string | null } | null
  drain: { reasonCode: string | null } | null
}

let runtime: MultiNodeBerth
let ownId: string
let placed: PlacedDatabase
let redis: DatabaseClients

before(async () => {
  const workerImages = [onWorkers, 'haproxy:3.0']
  runtime = await startMultiNodeBerth(3, { managerImages: [onManager, 'haproxy:3.0'], workerImages })
  ownId = (await runtime.engine.nodes()).find(({ local }) => local)!.id
  redis = databaseClientsOn({ ...runtime.berth, projectId: runtime.projectId }, kindNamed('redis'), clients.redis!)
  assert.equal((await update({ nodeId: ownId, availability: 'pause' })).status, 200)
  placed = await runtime.deployOn(runtime.workers[0]!, 'postgres')
})

after(() => runtime[Symbol.asyncDispose]())

const update = (input: Fields) =>
  runtime.berth.call<NodeBody & { message: string; reason?: string }>('cluster.updateNode', input)
const imagesOf = (node: MultiNodeBerth['own'], name: string) =>
  node.docker('image', 'ls', '--quiet', '--no-trunc', name)
const readNode = async (name: string) =>
  (await runtime.berth.call<NodeBody[]>('cluster.getNodes')).body.find(({ hostname }) => hostname === name)!

test("while Berth's own node is paused and lacks the image, a password is changed on its server", async () => {
  const { databaseClients, database, node } = placed
  const [id] = await imagesOf(node, onWorkers)
  assert.deepEqual([database.imageDigest, database.imageVersion], [id, '15'])
  await databaseClients.open(database, async (session) => session.write('first'))
  const oldUrl = await databaseClients.urlOf(database)
  await databaseClients.call('update', database, { databasePassword: 'another-password' })
  await databaseClients.done('deploy', database, { pull: true })
  assert.notEqual(await databaseClients.refusal(oldUrl), '')
  assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first'])
  assert.deepEqual(await imagesOf(runtime.own, onWorkers), [])
})

test("while Berth's own node is paused, logs and statistics are returned", async () => {
  const { databaseClients, database } = placed
  const logs = await databaseClients.call('logs', database, { tail: 5 })
  assert.deepEqual([logs.status, (logs.body as unknown as object[]).length], [200, 5])
  const { status, body } = await databaseClients.call('stats', database)
  assert.equal(status, 200, JSON.stringify(body))
  assert.ok(Number(body.memoryBytes) > 1_000_000, JSON.stringify(body))
})

test("while Berth's own node is paused, a database is moved to the other worker with its data", async () => {
  const { databaseClients, database } = placed
  const other = runtime.workers[1]!
  const { status, body } = await databaseClients.callAndWait('move', database, { node: other.name })
  assert.deepEqual([status, body.message, body.node], [200, undefined, other.name])
  assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first'])
  assert.deepEqual(await runtime.engine.listJobs(), [])
})

let cache: Fields

test("an image that only Berth's own node has is copied to the worker, and again after its loss", async () => {
  const worker = runtime.workers[0]!
  assert.deepEqual(await imagesOf(worker, onManager), [])
  const database = await redis.deployed({ dockerImage: onManager, node: worker.name })
  const own = await imagesOf(runtime.own, onManager)
  assert.deepEqual(await imagesOf(worker, onManager), own)
  await redis.done('stop', database)
  await worker.docker('container', 'prune', '--force')
  await worker.docker('image', 'rm', '--force', own[0]!)
  await redis.done('start', database)
  assert.equal((await redis.one(database)).imageDigest, own[0])
  cache = database
})

test('an image that neither node has is reported with the name of the worker', async () => {
  const { name } = runtime.workers[0]!
  const database = await redis.create({ dockerImage: 'redis:no-such', node: name })
  const { status, body } = await redis.callAndWait('deploy', database)
  assert.equal(status, 422)
  assert.match(body.message, new RegExp(`^Image not found on node ${name} \\(No such image: redis:no-such, and`))
  await redis.done('remove', database, { removeData: true })
})

/** Starts a job for the database on the worker that reads its input until its end. */
async function startJob(nodeId: string) {
  const [task] = await runtime.engine.tasks([cache.appName as string])
  const job = await runtime.engine.runJob(
    {
      name: `berth-tool-${process.pid}`,
      recordId: cache.redisId as string,
      nodeId,
      networkOf: task!.containerId!,
      image: onManager,
      argv: ['cat'],
      env: {},
      stdin: true,
    },
    new AbortController().signal,
  )
  job.stdout.resume()
  return job
}

test('a drain waits for work on the node, and the database runs again when the node is active', async () => {
  const { name } = runtime.workers[0]!
  await redis.open(cache, async (session) => session.write('first'))
  const { id } = await readNode(name)
  const job = await startJob(id)
  const drain = { nodeId: id, availability: 'drain' }
  const refused = await update(drain)
  assert.equal(refused.status, 409)
  assert.ok(refused.body.message.includes(cache.appName as string), refused.body.message)
  const { status, body } = await update({ ...drain, force: true })
  assert.deepEqual([status, body.availability, body.drain?.reasonCode], [200, 'active', 'WorkOnNode'])
  job.stdin!.end()
  assert.equal((await job.ended).exitCode, 0)
  await until('the drain', async () => (await readNode(name)).availability === 'drain', 60_000)
  await until('the database to be stopped', async () => {
    await assertNoOutage(runtime)
    return ((await redis.one(cache)) as Fields).statusCode === 'NodeDrained'
  })
  await until('the engine to be out of reach', async () => {
    const { engineState, drain: waiting } = await readNode(name)
    return waiting === null && engineState?.state === 'unavailable' && engineState.reasonCode === 'NodeDrained'
  })
  await update({ nodeId: id, availability: 'active' })
  await redis.waitUntil('the database to be up', cache, (it) => it.applicationStatus === 'done', 120_000)
  await assertNoOutage(runtime)
  assert.deepEqual(await redis.open(cache, (session) => session.read()), ['first'])
  assert.deepEqual(await runtime.engine.listJobs(), [])
})

test("a drain of Berth's own node is refused with its databases, and with force names what it ends", async () => {
  await update({ nodeId: ownId, availability: 'active' })
  const { database } = await runtime.deployOn(runtime.own, 'redis')
  const drain = { nodeId: ownId, availability: 'drain' }
  const { status, body } = await update(drain)
  assert.deepEqual([status, body.reason], [409, 'DrainEndsRoutes'])
  assert.ok(body.message.includes(database.appName), body.message)
  const forced = await update({ ...drain, force: true })
  assert.deepEqual([forced.status, forced.body.availability], [200, 'drain'])
  await update({ nodeId: ownId, availability: 'active' })
})
