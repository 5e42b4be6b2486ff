/** Dumps of a database on a worker go directly to the storage, also while nodes are paused. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { Run } from '../backups/restores.ts'
import { until } from '../engine/until.ts'
import { bundled } from '../fixtures/bundle.ts'
import { compareData } from '../fixtures/compare-data.ts'
import { restingSchedule } from '../fixtures/resting-schedule.ts'
import type { Fields } from './database-clients.ts'
import { type MultiNodeBerth, type PlacedDatabase, startMultiNodeBerth } from './multi-node-berth.ts'
import { startStorage, type Storage } from './storage.ts'

type DirectRun = Run & { streamed: { reason: string } | null; rawBytes: number; rowCount: number; message?: string }

const images = ['postgres:15', 'haproxy:3.0', 'node:26-slim']
const rows = 8 * 1024
const wait = { prefer: 'wait=240' }

let context: MultiNodeBerth
let storage: Storage
let placed: PlacedDatabase
let backupId: string
let nodeIds: Map<string, string>

const call = async (name: string, input: Fields) => {
  const { status, body } = await context.berth.call<DirectRun & Fields>(name, input, undefined, wait)
  return { status, body }
}
/** Sets the availability of both nodes. */
async function setAvailability(own: 'active' | 'pause', worker: 'active' | 'pause'): Promise<void> {
  await context.engine.updateNode(nodeIds.get(context.own.name)!, { availability: own })
  await context.engine.updateNode(nodeIds.get(placed.node.name)!, { availability: worker })
}

async function query(text: string): Promise<string> {
  const { appName } = placed.database
  const name = `name=${appName}`
  const [container = ''] = await placed.node.docker('ps', '--quiet', '--filter', name)
  const psql = ['psql', '--username=shop', '--dbname=shop', '--tuples-only', '--no-align', '--command', text]
  return (await placed.node.docker('exec', container, ...psql)).join('\n')
}

before(async () => {
  bundled('worker')
  context = await startMultiNodeBerth(2, { managerImages: images, workerImages: images })
  // This machine is neither of the nodes.
  storage = await startStorage({ address: context.own.address.replace(/\d+$/, '254') })
  storage.makeBucket('backups')
  ;[placed] = (await context.deployOnWorkers('postgres')) as [PlacedDatabase]
  nodeIds = new Map((await context.engine.nodes()).map(({ id, hostname }) => [hostname, id]))
  const { body } = await call('destination.create', { name: 'storage', ...storage.settings('backups') })
  const { postgresId } = placed.database
  const backup = await call('backup.create', {
    schedule: restingSchedule,
    prefix: 'direct',
    destinationId: body.destinationId,
    database: 'shop',
    databaseType: 'postgres',
    postgresId,
  })
  backupId = String(backup.body.backupId)
  // Text that zstd compresses by little: a row has 4 KiB.
  await query(`create table big as select n, (select string_agg(md5(random()::text || n || m), '')
    from generate_series(1, 128) m) as text from generate_series(1, ${rows}) n`)
})
after(async () => {
  await storage?.[Symbol.asyncDispose]()
  await context?.[Symbol.asyncDispose]()
})

const jobsLeft = async () => (await context.engine.listJobs()).length

test('dumps from a worker without passing the node of Berth, while that node is paused', async () => {
  await setAvailability('pause', 'active')
  const before = await context.own.networkBytes()
  const { body } = await call('backup.manualBackupPostgres', { backupId })
  const passed = (await context.own.networkBytes()) - before
  assert.deepEqual([body.status, body.message, body.streamed], ['done', undefined, null])
  assert.ok(body.rawBytes > rows * 4096, `${body.rawBytes} bytes`)
  assert.ok(passed < body.rawBytes / 20, `${passed} of ${body.rawBytes} bytes passed the node of Berth`)
  assert.equal(await jobsLeft(), 0)
})

test('verifies and restores on the worker, and leaves no volume', async () => {
  const volumes = await placed.node.docker('volume', 'ls', '--quiet')
  const verified = await call('backup.verify', { backupId })
  assert.deepEqual([verified.body.status, verified.body.streamed], ['done', null], JSON.stringify(verified.body))
  await query('delete from big where n > 500')
  const { postgresId, appName } = placed.database
  const { sourceRunId: runId } = verified.body
  const restored = await call('backup.restore', { backupId, runId, postgresId, confirm: appName, skipSafetyDump: true })
  assert.deepEqual([restored.body.status, restored.body.streamed], ['done', null], JSON.stringify(restored.body))
  await compareData('the restored rows', async () =>
    assert.equal(await query('select count(*) from big'), String(rows)),
  )
  await until('no job', async () => (await jobsLeft()) === 0)
  // A loop removes the volume with the certificate of the temporary server.
  await until('the removal of the volumes', async () =>
    isDeepStrictEqual(await placed.node.docker('volume', 'ls', '--quiet'), volumes),
  )
})

test('dumps while the node of the data is paused, too', async () => {
  await setAvailability('pause', 'pause')
  const { body } = await call('backup.manualBackupPostgres', { backupId })
  assert.deepEqual([body.status, body.message, body.streamed], ['done', undefined, null])
  await setAvailability('active', 'active')
})

test('lists the nodes that reach the storage', async () => {
  const input = { name: 'it', ...storage.settings('backups'), report: true }
  const { nodes } = (await call('destination.testConnection', input)).body as unknown as { nodes: Fields[] }
  assert.deepEqual(nodes.map(({ hostname, result, error }) => [hostname, result, error]).sort(), [
    [context.own.name, 'reached', null],
    [placed.node.name, 'reached', null],
  ])
  await until('no job', async () => (await jobsLeft()) === 0)
})
