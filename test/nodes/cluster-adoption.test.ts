/** Taking back the volumes of a node that left the swarm and joined again, with the in-memory engine. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { type Database, databaseClientsOf, waitForRecord } from '../fixtures/database-clients.ts'
import { type Input, startTestBerth, type TestBerth, wait } from '../fixtures/test-berth.ts'
import { createKeptVolume, type NodeBody, pinTo, readNodes } from './cluster.ts'

const kind = kinds[0]!

interface Adoption {
  missingNodeId: string
  missingHostname: string
  nodeId: string
  hostname: string
  adopted: boolean
  volumes: { volumeId: string; name: string; state: string; finding: string | null; findingCode: string | null }[]
  deploymentIds: string[]
}

/** A Berth with a database on a worker, whose machine then gets another id. */
async function openWithReturned(more: Input = {}) {
  const testBerth = await startTestBerth()
  testBerth.engine.addNode('old', { hostname: 'web-2', address: '192.0.2.20' })
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await pinTo(testBerth, databaseClients, 'old', more)
  const close = () => testBerth.close()
  const rejoin = async () => {
    testBerth.engine.rejoin('old', 'new')
    await untilReturned(testBerth)
    // So that nothing but a call changes the store.
    await waitForRecord(testBerth, databaseClients, database, ({ statusCode }) => statusCode === 'NodeReturned')
  }
  return { testBerth, databaseClients, database, rejoin, [Symbol.asyncDispose]: close }
}

type Context = Awaited<ReturnType<typeof openWithReturned>>

const untilReturned = (testBerth: TestBerth): Promise<NodeBody> =>
  testBerth.until(
    'the volumes to be found',
    async () => (await readNodes(testBerth)).find(({ returned }) => returned.length > 0) ?? null,
  )
const until = ({ testBerth, databaseClients, database }: Context, what: (current: Database) => boolean) =>
  waitForRecord(testBerth, databaseClients, database, what)
const pair = { missingNodeId: 'old', nodeId: 'new' }
const preview = ({ testBerth }: Context) => testBerth.ok<Adoption>('cluster.adoptNode', pair)
const adopt = ({ testBerth }: Context, headers = wait) =>
  testBerth.ok<Adoption>('cluster.adoptNode', { ...pair, confirm: 'web-2' }, headers)
const refused = async ({ testBerth }: Context, more: Input = {}) =>
  (await testBerth.refused('CONFLICT', 'cluster.adoptNode', { ...pair, confirm: 'web-2', ...more })).message

// Berth's loop runs at most once a second, so the tests of this file run concurrently.
describe('a node that left and joined again', { concurrency: true }, () => {
  recognitionTests()
  adoptionTests()
  refusalTests()
})

function recognitionTests(): void {
  test('the database names the node that has its volume, the command and the condition', async () => {
    await using context = await openWithReturned()
    await context.rejoin()
    const lost = await until(context, ({ statusCode }) => statusCode === 'NodeReturned')
    assert.match(lost.statusReason!, /^Node web-2 \(192\.0\.2\.20\).*berth node adopt old --node web-2$/)
    assert.deepEqual([lost.applicationStatus, lost.driftCodes], ['error', ['NodeReturned']])
    const node = (await readNodes(context.testBerth)).find(({ id }) => id === 'new')!
    assert.deepEqual(node.returned, [{ nodeId: 'old', hostname: 'web-2', volumes: 1 }])
    const condition = await context.testBerth.until('the condition', async () => {
      const all = await context.testBerth.ok<Record<string, unknown>[]>('condition.all')
      return all.find(({ name }) => name === 'NodeReturned') ?? null
    })
    assert.match(String(condition.reason), /left the swarm, and a volume of it was found on node web-2/)
  })

  test('a node that left without a trace is missing, until a node with its volume joins', async () => {
    await using context = await openWithReturned()
    const { testBerth } = context
    testBerth.engine.takeNode('old')
    await until(context, ({ statusCode }) => statusCode === 'NodeMissing')
    testBerth.engine.addNode('new', { hostname: 'web-2' })
    testBerth.engine.cloneVolume(context.database.volume!, 'new')
    await until(context, ({ statusCode }) => statusCode === 'NodeReturned')
    testBerth.engine.takeNode('new')
    await until(context, ({ statusCode }) => statusCode === 'NodeMissing')
  })
}

function adoptionTests(): void {
  test('a preview changes nothing, and one call takes back the database and its kept volumes', async () => {
    await using context = await openWithReturned()
    const { testBerth, databaseClients, database } = context
    const kept = await createKeptVolume(testBerth, databaseClients, 'old')
    await context.rejoin()
    const before = await testBerth.everything()
    const shown = await preview(context)
    assert.deepEqual(await testBerth.everything(), before)
    assert.deepEqual(
      [shown.adopted, shown.hostname, shown.missingHostname, shown.deploymentIds],
      [false, 'web-2', 'web-2', []],
    )
    assert.deepEqual(
      shown.volumes.map(({ name, state, finding }) => [name, state, finding]),
      [
        [database.volume, 'attached', null],
        [`berth-${kept.volumeId}`, 'kept', null],
      ],
    )
    const adoption = await adopt(context)
    assert.deepEqual([adoption.adopted, adoption.deploymentIds.length], [true, 1])
    const again = await databaseClients.one(database)
    assert.deepEqual([again.applicationStatus, again.statusReason, again.node], ['done', null, 'web-2'])
    assert.equal(testBerth.engine.specOf(database.appName)!.nodeId, 'new')
    const nodes = await readNodes(testBerth)
    assert.deepEqual(
      nodes.find(({ id }) => id === 'new')!.pinned.map(({ type }) => type),
      ['database', 'volume'],
    )
    assert.deepEqual(
      nodes.flatMap(({ returned }) => returned),
      [],
    )
  })

  test('a swarm that was made anew starts its databases again, and stopped ones stay stopped', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await pinTo(testBerth, databaseClients, 'node1')
    const stopped = await pinTo(testBerth, databaseClients, 'node1')
    await databaseClients.ok('stop', stopped, {}, wait)
    testBerth.engine.rejoin('node1', 'anew')
    await untilReturned(testBerth)
    const input = { missingNodeId: 'node1', nodeId: 'anew', confirm: 'memory' }
    const { volumes, deploymentIds } = await testBerth.ok<Adoption>('cluster.adoptNode', input, wait)
    assert.deepEqual([volumes.length, deploymentIds.length], [2, 1])
    assert.equal((await databaseClients.one(up)).applicationStatus, 'done')
    assert.equal((await databaseClients.one(stopped)).applicationStatus, 'idle')
    assert.equal(testBerth.engine.specOf(stopped.appName), null)
    await databaseClients.ok('start', stopped, {}, wait)
    assert.equal(testBerth.engine.specOf(stopped.appName)!.nodeId, 'anew')
  })

  test('a database whose node was removed by force comes back with its data', async () => {
    await using context = await openWithReturned()
    const { testBerth } = context
    testBerth.engine.setNode('old', { state: 'down' })
    await testBerth.ok('cluster.removeWorker', { nodeId: 'old', force: true }, wait)
    testBerth.engine.addNode('new', { hostname: 'web-2' })
    testBerth.engine.cloneVolume(context.database.volume!, 'new')
    await untilReturned(testBerth)
    await adopt(context)
    await until(context, ({ applicationStatus }) => applicationStatus === 'done')
  })

  test('a volume without its data is left out by name, and the others come back', async () => {
    await using context = await openWithReturned()
    const { testBerth, databaseClients, database } = context
    const [emptied, replaced, missing] = [
      await pinTo(testBerth, databaseClients, 'old'),
      await pinTo(testBerth, databaseClients, 'old'),
      await pinTo(testBerth, databaseClients, 'old'),
    ]
    await context.rejoin()
    const { marks } = testBerth.engine
    for (const key of [...marks.keys()]) {
      if (key.startsWith(`${emptied.volume}:`)) marks.delete(key)
      if (key.startsWith(`${replaced.volume}:`)) marks.set(key, 'another')
    }
    testBerth.engine.loseVolume(missing.volume!)
    const { volumes } = await adopt(context)
    assert.deepEqual(
      volumes.map(({ name, findingCode }) => [name, findingCode]),
      [
        [database.volume, null],
        [emptied.volume, 'MarkMissing'],
        [replaced.volume, 'MarkDiffers'],
        [missing.volume, 'VolumeNotFound'],
      ],
    )
    assert.equal((await databaseClients.one(database)).applicationStatus, 'done')
    for (const left of [emptied, replaced, missing]) {
      assert.equal((await databaseClients.one(left)).applicationStatus, 'error')
      assert.equal(testBerth.engine.specOf(left.appName)?.replicas ?? 0, 0)
    }
    assert.match(await refused(context), /has none of the volumes.*differs/)
  })

  test('the taking back is in the audit log, and a repeated call finds nothing left', async () => {
    await using context = await openWithReturned()
    await context.rejoin()
    await adopt(context)
    const entries = await context.testBerth.ok<Record<string, unknown>[]>('audit.all')
    assert.ok(entries.some(({ operation }) => operation === 'cluster.adoptNode'))
    await context.testBerth.refused('NOT_FOUND', 'cluster.adoptNode', { ...pair, confirm: 'web-2' })
  })
}

function refusalTests(): void {
  test('refuses while the old node is in the swarm, also if it is down', async () => {
    await using context = await openWithReturned()
    const { testBerth, database } = context
    testBerth.engine.addNode('new', { hostname: 'web-2' })
    testBerth.engine.cloneVolume(database.volume!, 'new')
    assert.match(await refused(context), /is still in the swarm: it is ready/)
    testBerth.engine.setNode('old', { state: 'down' })
    await untilReturned(testBerth)
    assert.match(await refused(context), /is still in the swarm: it is down/)
  })

  test('refuses if two nodes have the volume, and names both', async () => {
    await using context = await openWithReturned()
    await context.rejoin()
    context.testBerth.engine.cloneVolume(context.database.volume!, 'node1')
    const message = await refused(context)
    assert.match(message, /is on node web-2 \(new\) and on node memory \(node1\)/)
  })

  test('refuses another name than that of the present node, an unknown node and a node without the volumes', async () => {
    await using context = await openWithReturned()
    const { testBerth } = context
    await context.rejoin()
    await testBerth.refused('BAD_REQUEST', 'cluster.adoptNode', { ...pair, confirm: 'web-1' }, 'confirm')
    await testBerth.refused('NOT_FOUND', 'cluster.adoptNode', { ...pair, nodeId: 'nobody' })
    await testBerth.refused('NOT_FOUND', 'cluster.adoptNode', { ...pair, missingNodeId: 'nobody' })
    const other = { nodeId: 'node1', confirm: 'memory' }
    assert.match(await refused(context, other), /has none of the volumes.*no volume of this name/)
  })
}
