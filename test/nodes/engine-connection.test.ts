/** Which connection to a node's engine the store provides, and which work of Berth uses the engine. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { issueAccess } from '../../src/nodes/engines/certificates.ts'
import { connectionsFrom } from '../../src/nodes/engines/connection.ts'
import { busyNodes, insertAccess, openAccessKey } from '../../src/nodes/engines/queries.ts'
import type { NodeEngineReason } from '../../src/nodes/engines/reason.ts'
import type { NodeEngineTable } from '../../src/nodes/engines/table.ts'
import { toJson } from '../../src/lib/json.ts'
import { kinds } from '../../src/kinds/index.ts'
import type { Writer } from '../../src/store/schema.ts'
import { engineFailure } from '../engine/engine-failure.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import type { TestBerth } from '../fixtures/test-berth.ts'
import { startNodesBerth } from './cluster.ts'

let testBerth: TestBerth
before(async () => {
  testBerth = await startNodesBerth()
  testBerth.engine.addNode('node2', { hostname: 'second', address: '192.0.2.20' })
  await testBerth.until('the port', async () => {
    testBerth.pass(1000)
    const { db } = testBerth.app
    return (await db.selectFrom('nodeEngine').where('state', '=', 'reachable').selectAll().executeTakeFirst()) ?? null
  })
})
after(() => testBerth.close())

class Undo extends Error {}

/** Calls the function in a transaction and undoes the transaction, so that no loop sees its changes. */
async function undoing(work: (tx: Writer) => Promise<void>): Promise<void> {
  const undone = testBerth.app.transact(async (tx) => {
    await work(tx)
    throw new Undo()
  })
  await assert.rejects(undone, Undo)
}

const port = { node: 'second', address: '192.0.2.20', port: 2376 }
const unreachable = { reason: 'PortUnreachable', fault: 'timeout', source: '192.0.2.10', detail: 'x', ...port } as const
const withReason = (state: NodeEngineTable['state'], reason: NodeEngineReason): Partial<NodeEngineTable> => ({
  state,
  reason: toJson(reason),
})

const refusals: [title: string, changes: Partial<NodeEngineTable>, message: RegExp][] = [
  [
    'of a node that is down',
    withReason('unavailable', { reason: 'NodeDown', node: 'second', state: 'down' }),
    /as down$/,
  ],
  ['of a drained node', withReason('unavailable', { reason: 'NodeDrained', node: 'second' }), /second is drained/],
  [
    'whose port is taken',
    withReason('unreachable', { reason: 'PortTaken', ...port }),
    /cannot listen at 192\.0\.2\.20/,
  ],
  ['whose service does not exist yet', { state: 'starting', fingerprints: '' }, /second is being created$/],
]

describe('the connection to the engine of a node', () => {
  for (const [title, changes, message] of refusals) {
    test(`is refused for an engine ${title}`, () =>
      undoing(async (tx) => {
        await tx.updateTable('nodeEngine').set(changes).execute()
        const connection = connectionsFrom(tx, testBerth.app.vault)('node2')
        await assert.rejects(connection, engineFailure('nodeUnreachable', message))
      }))
  }

  const tried: [title: string, changes: Partial<NodeEngineTable>][] = [
    ['did not answer before', withReason('unreachable', unreachable)],
    ['is starting with another specification', { state: 'starting', reason: null }],
  ]
  for (const [title, changes] of tried) {
    test(`is tried at a port that ${title}`, () =>
      undoing(async (tx) => {
        await tx.updateTable('nodeEngine').set(changes).execute()
        const { host, port: number, serverName } = await connectionsFrom(tx, testBerth.app.vault)('node2')
        assert.deepEqual([host, number, serverName], ['192.0.2.20', 2376, 'node2.engines.berth'])
      }))
  }

  test('has the current certificate, also while nodes accept the next one', () =>
    undoing(async (tx) => {
      const { vault, now } = testBerth.app
      const [current] = await tx.selectFrom('engineAccess').selectAll().execute()
      await insertAccess(tx, vault, 'next', await issueAccess({ db: tx, vault, now }), now())
      const { certificate, key } = await connectionsFrom(tx, vault)('node2')
      assert.deepEqual([certificate, key], [current!.certificatePem, openAccessKey(vault, current!)])
    }))

  test('is refused for a node without a port, and for an unknown node', () =>
    undoing(async (tx) => {
      await tx.deleteFrom('nodeEngine').execute()
      const connect = connectionsFrom(tx, testBerth.app.vault)
      await assert.rejects(connect('node2'), engineFailure('nodeUnreachable', /^The port .* second is being created$/))
      await assert.rejects(connect('node9'), engineFailure('nodeMissing', /node9/))
    }))
})

test('moves use the engines of both nodes', async () => {
  const { appName } = await databaseClientsOf(testBerth, kinds[0]!).createDeployed({ node: 'node2' })
  await undoing(async (tx) => {
    assert.deepEqual(await busyNodes(tx), new Set())
    const found = tx.selectFrom('database').select('id').where('appName', '=', appName)
    const { id: databaseId } = await found.executeTakeFirstOrThrow()
    const place = { nodeId: 'node3', nodeName: 'third', nodeAddress: '192.0.2.30', volumeId: null }
    await tx
      .insertInto('move')
      .values({ ...place, databaseId, deploymentId: 'd', step: 'copy' })
      .execute()
    assert.deepEqual(await busyNodes(tx), new Set(['node2', 'node3']))
  })
})
