/** Drains: they finish the work of Berth on a node first. A drain of Berth's own node names the routes that it ends. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { get } from '../../src/deployments/queries.ts'
import type { Availability } from '../../src/engine/node.ts'
import { kinds } from '../../src/kinds/index.ts'
import { stepDrain } from '../../src/nodes/drain/waiting-drain.ts'
import type { Runtime } from '../../src/runtime.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { type Failure, type TestBerth, wait } from '../fixtures/test-berth.ts'
import {
  beginRemoval,
  type NodeBody,
  pinTo,
  readNode,
  startNodesBerth,
  untilRemovalEnds,
  waitForNode,
} from './cluster.ts'

const kind = kinds[0]!
type Refused = Failure & { reason?: string }

// These tests wait for turns of loops, so they run concurrently.
describe('drains of nodes', { concurrency: true }, () => {
  ownNodeTests()
  waitTests()
  removalTests()
})

/** Starts a tool for the database on node2. Returns a function that ends the tool. */
async function startTool({ engine }: TestBerth, databaseId: string): Promise<() => Promise<void>> {
  const end = Promise.withResolvers<number>()
  engine.onJob = () => end.promise
  const job = await engine.runJob(
    {
      name: `berth-session-${databaseId}`,
      recordId: databaseId,
      nodeId: 'node2',
      networkOf: 'c',
      image: 'x',
      argv: ['x'],
      env: {},
      stdin: false,
    },
    new AbortController().signal,
  )
  job.stdout.resume()
  return async () => {
    end.resolve(0)
    await job.ended
  }
}

/** A test Berth with a database on node2, and a tool at work for it. */
async function openWork(testBerth: TestBerth) {
  testBerth.engine.addNode('node2')
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await pinTo(testBerth, databaseClients, 'node2')
  const startAnother = () => startTool(testBerth, databaseClients.idOf(database))
  return { database, endTool: await startAnother(), startAnother, work: [{ type: 'tool', name: database.appName }] }
}

/** Reads a waiting drain, as the loop does. Returns its step, which then knows nothing of later calls. */
async function readStep({ app, engine }: TestBerth) {
  const runtime = { ...app, engine } as unknown as Runtime
  const row = (await app.db.selectFrom('node').selectAll().where('id', '=', 'node2').executeTakeFirst())!
  const deployment = await get(app.db, row.deploymentId!)
  const node = (await engine.nodes()).find(({ id }) => id === 'node2')!
  return (availability: Availability) => stepDrain(runtime, row, deployment, { ...node, availability })
}

const drain = { nodeId: 'node2', availability: 'drain', force: true }
const runOn = (testBerth: TestBerth) =>
  testBerth.until('the end of the drain', async () => {
    testBerth.app.wake('nodes')
    const node = (await readNode(testBerth))!
    return node.drain === null ? node : null
  })

function ownNodeTests(): void {
  test("refuses to drain Berth's own node without force, and names its routes", async () => {
    await using testBerth = await startNodesBerth()
    const { engine } = testBerth
    engine.putForeign('web', { labels: { 'berth.host': 'shop.example.org' }, onNetwork: true })
    await testBerth.until('the application', async () =>
      (await testBerth.ok<unknown[]>('application.all')).length > 0 ? true : null,
    )
    await testBerth.ok('port.create', { publishedPort: 8080, targetPort: 80, applicationId: 'web' }, wait)
    const input = { nodeId: 'node1', availability: 'drain' }
    const refused: Refused = await testBerth.refused('CONFLICT', 'cluster.updateNode', input)
    assert.equal(refused.reason, 'DrainEndsRoutes')
    for (const name of ['shop.example.org', '8080/tcp of web']) assert.ok(refused.message.includes(name), name)
    const drained = await testBerth.ok<NodeBody>('cluster.updateNode', { ...input, force: true })
    assert.deepEqual(
      [drained.availability, drained.ended],
      ['drain', { hosts: ['shop.example.org'], ports: ['8080/tcp'], work: [] }],
    )
    const again = await testBerth.ok<NodeBody>('cluster.updateNode', input)
    assert.equal(again.ended, undefined)
  })

  test("drains Berth's own node without force if that ends nothing", async () => {
    await using testBerth = await startNodesBerth({ BERTH_PROXY: 'off' })
    const input = { nodeId: 'node1', availability: 'drain' }
    const { availability, ended } = await testBerth.ok<NodeBody>('cluster.updateNode', input)
    assert.deepEqual([availability, ended], ['drain', undefined])
  })
}

function waitTests(): void {
  test('drains a node after the work on it has ended', async () => {
    await using testBerth = await startNodesBerth()
    const { database, endTool } = await openWork(testBerth)
    const waiting = await testBerth.ok<NodeBody>('cluster.updateNode', drain)
    assert.deepEqual([waiting.availability, waiting.drain?.reasonCode], ['active', 'WorkOnNode'])
    assert.ok(waiting.drain!.reason!.includes(`a tool of ${database.appName}`), waiting.drain!.reason!)
    const repeated = await testBerth.ok<NodeBody>('cluster.updateNode', drain)
    assert.equal(repeated.drain?.deploymentId, waiting.drain!.deploymentId)
    const answer = testBerth.call<NodeBody>('cluster.updateNode', drain, wait)
    await endTool()
    assert.equal((await runOn(testBerth)).availability, 'drain')
    const { status, body } = await answer
    assert.deepEqual([status, body.availability, body.drain], [200, 'drain', null])
  })

  test('keeps a waiting drain over a restart of Berth', async () => {
    await using testBerth = await startNodesBerth()
    const { endTool } = await openWork(testBerth)
    await testBerth.ok('cluster.updateNode', drain)
    await testBerth.restart(endTool)
    assert.equal((await runOn(testBerth)).availability, 'drain')
  })

  test('drains immediately on request, and names the work that fails', async () => {
    await using testBerth = await startNodesBerth()
    const { endTool, work } = await openWork(testBerth)
    await testBerth.ok('cluster.updateNode', drain)
    const drained = await testBerth.ok<NodeBody>('cluster.updateNode', { ...drain, immediately: true })
    assert.deepEqual([drained.availability, drained.drain, drained.ended?.work], ['drain', null, work])
    await endTool()
  })

  test('ends a waiting drain when the node is set active', async () => {
    await using testBerth = await startNodesBerth()
    const { endTool } = await openWork(testBerth)
    const answer = testBerth.call<Failure>('cluster.updateNode', drain, wait)
    await testBerth.until('the drain', async () => ((await readNode(testBerth))?.drain ? true : null))
    const active = await testBerth.ok<NodeBody>('cluster.updateNode', { nodeId: 'node2', availability: 'active' })
    assert.deepEqual([active.availability, active.drain], ['active', null])
    assert.equal((await answer).status, 409)
    await endTool()
    assert.equal((await readNode(testBerth))!.availability, 'active')
  })

  test('a step that was decided before the node was set active neither drains it nor ends a later drain', async () => {
    await using testBerth = await startNodesBerth()
    const { endTool, startAnother } = await openWork(testBerth)
    const first = await testBerth.ok<NodeBody>('cluster.updateNode', drain)
    const step = await readStep(testBerth)
    await testBerth.ok('cluster.updateNode', { nodeId: 'node2', availability: 'active' })
    await endTool()
    await step('active')
    assert.equal((await readNode(testBerth))!.availability, 'active')
    const endSecond = await startAnother()
    await testBerth.ok('cluster.updateNode', drain)
    await step('drain')
    const node = (await readNode(testBerth))!
    assert.ok(node.drain !== null && node.drain.deploymentId !== first.drain!.deploymentId)
    assert.equal((await get(testBerth.app.db, first.drain!.deploymentId)).state, 'superseded')
    await endSecond()
  })

  test('places no database on a node that is about to be drained', async () => {
    await using testBerth = await startNodesBerth()
    const { endTool } = await openWork(testBerth)
    await testBerth.ok('cluster.updateNode', drain)
    const other = databaseClientsOf(testBerth, kind)
    const refused = await other.call('deploy', await other.create({ node: 'node2' }), {}, wait)
    assert.deepEqual([refused.status, (refused.body as Refused).reason], [422, 'NodeUnknown'])
    await endTool()
  })
}

function removalTests(): void {
  test('a removal replaces a waiting drain, and with force does not wait for the work', async () => {
    await using testBerth = await startNodesBerth()
    const { endTool } = await openWork(testBerth)
    await testBerth.ok('cluster.updateNode', drain)
    await beginRemoval(testBerth, { force: true })
    assert.equal((await untilRemovalEnds(testBerth)).state, 'done')
    await endTool()
  })

  test('a removal waits for the work on the node', async () => {
    await using testBerth = await startNodesBerth()
    testBerth.engine.addNode('node2')
    await waitForNode(testBerth, 'node2')
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed({ node: 'node1' })
    const endTool = await startTool(testBerth, databaseClients.idOf(database))
    await beginRemoval(testBerth)
    await testBerth.until('the removal to wait', async () =>
      (await readNode(testBerth))?.removal?.reasonCode === 'WorkOnNode' ? true : null,
    )
    assert.equal((await readNode(testBerth))!.availability, 'active')
    await endTool()
    assert.equal((await untilRemovalEnds(testBerth)).state, 'done')
  })
}
