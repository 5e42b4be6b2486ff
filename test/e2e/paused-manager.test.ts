/** Databases on workers while Berth's own node is paused: it takes no new containers, and keeps those that run. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type MultiNodeBerth, type PlacedDatabase, startMultiNodeBerth } from './multi-node-berth.ts'

const images = ['postgres:15', 'haproxy:3.0']

let runtime: MultiNodeBerth
let placed: PlacedDatabase

before(async () => {
  runtime = await startMultiNodeBerth(3, { managerImages: ['haproxy:3.0'], workerImages: images })
  const { id } = (await runtime.engine.nodes()).find(({ local }) => local)!
  const { status } = await runtime.berth.call('cluster.updateNode', { nodeId: id, availability: 'pause' })
  assert.equal(status, 200)
  placed = await runtime.deployOn(runtime.workers[0]!, 'postgres')
})

after(() => runtime[Symbol.asyncDispose]())

test('a database is deployed, and its password is changed on its server', async () => {
  const { databaseClients, database } = placed
  await databaseClients.open(database, async (session) => session.write('first'))
  const oldUrl = await databaseClients.urlOf(database)
  await databaseClients.call('update', database, { databasePassword: 'another-password' })
  await databaseClients.done('deploy', database)
  assert.notEqual(await databaseClients.refusal(oldUrl), '')
  assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first'])
})

test('logs and statistics are returned', async () => {
  const { databaseClients, database } = placed
  const logs = await databaseClients.call('logs', database, { tail: 5 })
  assert.deepEqual([logs.status, (logs.body as unknown as object[]).length], [200, 5])
  const { status, body } = await databaseClients.call('stats', database)
  assert.equal(status, 200, JSON.stringify(body))
  assert.ok(Number(body.memoryBytes) > 1_000_000, JSON.stringify(body))
})

test('the database is moved to the other worker with its data', async () => {
  const { databaseClients, database } = placed
  const other = runtime.workers[1]!
  const { status, body } = await databaseClients.callAndWait('move', database, { node: other.name })
  assert.deepEqual([status, body.message, body.node], [200, undefined, other.name])
  assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first'])
  assert.deepEqual(await runtime.engine.listJobs(), [])
})
