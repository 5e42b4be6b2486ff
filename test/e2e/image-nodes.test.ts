/** Images on the node of the database: Berth's own node needs no copy, and gives its image to a node that has none. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { clients } from './clients.ts'
import { databaseClientsOn, type DatabaseClients } from './database-clients.ts'
import { type MultiNodeBerth, startMultiNodeBerth } from './multi-node-berth.ts'

const [onWorker, onManager] = ['postgres:15', 'redis:8']

let runtime: MultiNodeBerth
let postgres: DatabaseClients
let redis: DatabaseClients

before(async () => {
  runtime = await startMultiNodeBerth(2, {
    managerImages: [onManager, 'haproxy:3.0'],
    workerImages: [onWorker, 'haproxy:3.0'],
  })
  const clientsOf = (name: string) =>
    databaseClientsOn({ ...runtime.berth, projectId: runtime.projectId }, kindNamed(name), clients[name]!)
  postgres = clientsOf('postgres')
  redis = clientsOf('redis')
})

after(() => runtime[Symbol.asyncDispose]())

const worker = () => runtime.workers[0]!
const imagesOf = (node: MultiNodeBerth['own'], name: string) =>
  node.docker('image', 'ls', '--quiet', '--no-trunc', name)

test("a database on a worker works although Berth's own node does not have its image", async () => {
  const database = await postgres.deployed({ dockerImage: onWorker, node: worker().name })
  const [id] = await imagesOf(worker(), onWorker)
  assert.deepEqual([database.imageDigest, database.imageVersion], [id, '15'])
  await postgres.open(database, async (session) => session.write('first'))
  const oldUrl = await postgres.urlOf(database)
  await postgres.call('update', database, { databasePassword: 'another-password' })
  await postgres.done('deploy', database, { pull: true })
  assert.notEqual(await postgres.refusal(oldUrl), '')
  assert.deepEqual(await postgres.open(database, (session) => session.read()), ['first'])
  assert.deepEqual(await imagesOf(runtime.own, onWorker), [])
  assert.deepEqual(await runtime.engine.listJobs(), [])
})

test("an image that only Berth's own node has is copied to the worker, and again after its loss", async () => {
  assert.deepEqual(await imagesOf(worker(), onManager), [])
  const database = await redis.deployed({ dockerImage: onManager, node: worker().name })
  const own = await imagesOf(runtime.own, onManager)
  assert.deepEqual(await imagesOf(worker(), onManager), own)
  await redis.done('stop', database)
  await worker().docker('container', 'prune', '--force')
  await worker().docker('image', 'rm', '--force', own[0]!)
  await redis.done('start', database)
  assert.equal((await redis.one(database)).imageDigest, own[0])
})

test('an image that neither node has is reported with the name of the worker', async () => {
  const database = await redis.create({ dockerImage: 'redis:no-such', node: worker().name })
  const { status, body } = await redis.callAndWait('deploy', database)
  assert.equal(status, 422)
  assert.match(
    body.message,
    new RegExp(`^Image not found on node ${worker().name} \\(No such image: redis:no-such, and`),
  )
})
