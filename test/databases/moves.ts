/** A database that can move between two nodes, and the checks after a move. Shared by the tests of moves. */
import assert from 'node:assert/strict'
import { roleLabel } from '../../src/engine/labels.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { engineRole } from '../../src/nodes/engines/spec.ts'
import { type Database, type DatabaseClients, databaseClientsOf } from '../fixtures/database-clients.ts'
import { type TestBerth, startTestBerth, wait } from '../fixtures/test-berth.ts'
import { waitForNode } from '../nodes/cluster.ts'
import { type FakeVolumes, fakeVolumes, inventory, shopDump } from './fake-volumes.ts'

export const kind = kindNamed('mysql')

export interface VolumeRecord {
  name: string
  node: string
  state: string
  databaseId: string | null
  volumeId: string
}

export interface MoveContext extends AsyncDisposable {
  testBerth: TestBerth
  databaseClients: DatabaseClients
  database: Database
  volumes: FakeVolumes
}

/** Starts a test Berth with two nodes and a database with data on the first node. */
export async function openMove(): Promise<MoveContext> {
  const testBerth = await startTestBerth()
  testBerth.engine.addNode('node2', { hostname: 'second', address: '192.0.2.22' })
  await waitForNode(testBerth, 'node2')
  const databaseClients = databaseClientsOf(testBerth, kind)
  const database = await databaseClients.createDeployed({ node: 'node1' })
  await databaseClients.ok('saveExternalPort', database, { externalPort: 13306 }, wait)
  const volumes = fakeVolumes(testBerth, database.appName)
  volumes.contents.set(database.volume!, { dump: shopDump, list: inventory() })
  return {
    testBerth,
    databaseClients,
    database,
    volumes,
    [Symbol.asyncDispose]: () => testBerth[Symbol.asyncDispose](),
  }
}

/** Returns which server of a move has this host name: `source`, `target` or `live`, the server of the database. */
export const sideOf = (host: string) => /^berth-([a-z]+)-/.exec(host)?.[1] ?? 'live'

export const volumeRecords = async (testBerth: TestBerth) => testBerth.ok<VolumeRecord[]>('volume.all')

/**
 * Asserts that the database runs on the new node with all its data, that its old volume is kept, and that no temporary
 * server is left.
 */
export async function checkMoved({ testBerth, databaseClients, database, volumes }: MoveContext): Promise<void> {
  const record = await databaseClients.one(database)
  assert.deepEqual([record.node, record.applicationStatus, record.statusReason], ['second', 'done', null])
  assert.notEqual(record.volume, database.volume)
  assert.equal(volumes.contents.get(record.volume!)!.dump, shopDump)
  assert.equal(volumes.contents.get(database.volume!)!.dump, shopDump)
  assert.match(record.connection.externalUrl!, /@192\.0\.2\.22:13306/)
  const service = testBerth.engine.specOf(database.appName)!
  assert.deepEqual([service.nodeId, service.replicas], ['node2', 1])
  assert.equal(testBerth.engine.specOf(databaseClients.gateway(database))?.nodeId, 'node2')
  const records = (await volumeRecords(testBerth)).map(({ name, node, state, databaseId }) => [
    name,
    node,
    state,
    databaseId,
  ])
  assert.deepEqual(records, [
    [database.volume, 'memory', 'kept', null],
    [record.volume, 'second', 'attached', databaseClients.idOf(database)],
  ])
  await checkClean(testBerth, 2)
}

/** Asserts that the database runs on its old node with its data, and that no temporary server or volume is left. */
export async function checkStayed({ testBerth, databaseClients, database, volumes }: MoveContext): Promise<void> {
  const record = await databaseClients.one(database)
  assert.deepEqual([record.node, record.volume], [database.node, database.volume])
  assert.equal(volumes.contents.get(database.volume!)!.dump, shopDump)
  const service = testBerth.engine.specOf(database.appName)!
  assert.deepEqual([service.nodeId, service.replicas], ['node1', 1])
  await testBerth.until('the removal of the new volume', async () =>
    (await volumeRecords(testBerth)).length === 1 ? true : null,
  )
  await checkClean(testBerth, 2)
}

async function checkClean(testBerth: TestBerth, services: number): Promise<void> {
  // The port to the engine of the other node is not part of the move.
  const found = (await testBerth.engine.services()).filter(({ labels }) => labels[roleLabel] !== engineRole)
  assert.equal(found.length, services)
  assert.deepEqual(await testBerth.engine.listJobs(), [])
  assert.deepEqual(await testBerth.app.db.selectFrom('move').selectAll().execute(), [])
}
