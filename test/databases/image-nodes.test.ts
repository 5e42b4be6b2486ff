/** Images are resolved, read and made available on the node that runs the database, not on Berth's own node. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Job } from '../../src/engine/job.ts'
import { openTarget, pinOf, resolvedImage } from '../../src/databases/targets.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { EngineFailure } from '../../src/engine/engine.ts'
import { anyImage } from '../engine/memory/engine.ts'
import { databaseClientsOf, waitForRecord } from '../fixtures/database-clients.ts'
import { waitForNode } from '../nodes/cluster.ts'
import { type Failure, type Input, startTestBerth, type TestBerth, wait } from '../fixtures/test-berth.ts'

const kind = kindNamed('redis')
const image = 'redis:8'

/**
 * Adds node2 and gives the image to the nodes in the set. There is no registry.
 * @returns the nodes that have the image, and the copies and pulls that Berth requested
 */
async function imagesOn(testBerth: TestBerth, ...nodes: string[]) {
  const { engine } = testBerth
  const having = new Set(nodes)
  const copies: string[] = []
  const pulls: string[] = []
  engine.addNode('node2')
  engine.images = (reference, nodeId) => (having.has(nodeId) ? anyImage(reference) : null)
  engine.onPull = (_, nodeId) => {
    pulls.push(nodeId)
    throw new EngineFailure('missing', 'there is no registry')
  }
  engine.onCopy = (_, nodeId) => {
    copies.push(nodeId)
    having.add(nodeId)
  }
  await waitForNode(testBerth, 'node2')
  return { having, copies, pulls }
}

async function failureOf(testBerth: TestBerth, verb: string, input: Input): Promise<Failure & { reason?: string }> {
  const { status, body } = await testBerth.call<Failure>(`redis.${verb}`, input, wait)
  assert.equal(status, 422, JSON.stringify(body))
  return body
}

test("uses an image that only the database's node has, and prints its version there without a network", async () => {
  await using testBerth = await startTestBerth()
  const { copies, pulls } = await imagesOn(testBerth, 'node2')
  const jobs: Job[] = []
  testBerth.engine.onJob = async (job, io) => {
    jobs.push(job)
    io.stdout.write('Redis server v=8.0.3 sha=0\n')
    return 0
  }
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.createDeployed({ dockerImage: image, node: 'node2' })
  assert.deepEqual([copies, [...new Set(pulls)]], [[], ['node2']])
  assert.deepEqual(
    jobs.filter(({ name }) => name.startsWith('berth-version-')).map((job) => [job.nodeId, job.hasNetwork]),
    [['node2', false]],
  )
  const { db, vault } = testBerth.app
  const row = await db.selectFrom('database').selectAll().executeTakeFirstOrThrow()
  const resolved = resolvedImage(openTarget(vault, 'target', row)!)!
  assert.equal(testBerth.engine.specOf(database.appName)!.image, pinOf(resolved))
})

test("copies an image from Berth's own node to a node that cannot pull it", async () => {
  await using testBerth = await startTestBerth()
  const { copies } = await imagesOn(testBerth, 'node1')
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.createDeployed({ dockerImage: image, node: 'node2' })
  assert.deepEqual([copies, database.applicationStatus], [['node2'], 'done'])
})

test('copies a local image again if its node has lost it before a start', async () => {
  await using testBerth = await startTestBerth()
  const { having, copies } = await imagesOn(testBerth, 'node1')
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.createDeployed({ dockerImage: image, node: 'node2' })
  await databaseClients.complete('stop', database)
  having.delete('node2')
  await databaseClients.complete('start', database)
  assert.deepEqual(copies, ['node2', 'node2'])
  await databaseClients.complete('stop', database)
  having.clear()
  const { message, reason } = await failureOf(testBerth, 'start', { redisId: database.redisId })
  assert.equal(reason, 'ImageGone')
  assert.match(message, /is no longer on node node2/)
})

test('names the node that lacks an image, and records no volume there', async () => {
  await using testBerth = await startTestBerth()
  await imagesOn(testBerth)
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.create({ dockerImage: image, node: 'node2' })
  const { message, reason } = await failureOf(testBerth, 'deploy', { redisId: database.redisId })
  assert.equal(reason, 'ImageMissing')
  assert.match(message, /^Image not found on node node2 \(No such image: redis:8, and it cannot be pulled: there is/)
  assert.deepEqual(await testBerth.app.db.selectFrom('volume').selectAll().execute(), [])
})

test('names a node that is down before it asks that node for an image', async () => {
  await using testBerth = await startTestBerth()
  await imagesOn(testBerth, 'node1', 'node2')
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.createDeployed({ dockerImage: image, node: 'node2' })
  await databaseClients.complete('stop', database)
  testBerth.engine.setNode('node2', { state: 'down' })
  const { reason } = await failureOf(testBerth, 'deploy', { redisId: database.redisId, pull: true })
  assert.equal(reason, 'NodeDown')
})

test("deploys to another node while Berth's own node is paused", async () => {
  await using testBerth = await startTestBerth()
  await imagesOn(testBerth, 'node2')
  testBerth.engine.setNode('node1', { availability: 'pause' })
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.createDeployed({ dockerImage: image, node: 'node2' })
  await databaseClients.complete('deploy', database, { pull: true })
  const up = await waitForRecord(testBerth, databaseClients, database, (row) => row.applicationStatus === 'done')
  assert.equal(up.containerState, 'running')
})
