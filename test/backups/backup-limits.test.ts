/** Limits that keep Berth from crashing at each start: on the size of manifests, and on the restarts of a run. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'
import { afterEach, beforeEach, test } from 'node:test'
import type { Manifest } from '../../src/dumps/manifest.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import type { BackupRunTable } from '../../src/backups/table.ts'
import { until } from '../engine/until.ts'
import { createDestination, insertDump } from './backups.ts'
import { type Database, databaseClientsOf } from '../fixtures/database-clients.ts'
import { type Input, type TestBerth, startTestBerth, wait } from '../fixtures/test-berth.ts'

const piece = Buffer.alloc(1024 ** 2, 32)
let sentBytes = 0

/** The content of each object: 1 GiB. `sentBytes` counts how much of it Berth reads. */
function* largeContent() {
  for (sentBytes = 0; sentBytes < 1024 ** 3; sentBytes += piece.length) yield piece
}

let storage: ReturnType<typeof createServer>
let testBerth: TestBerth
let service: Database
let destinationId: string
let backupId: string
beforeEach(async () => {
  storage = createServer(({ url = '' }, response) => {
    if (url.includes('hangs')) return
    response.writeHead(200, { 'content-length': 1024 ** 3 })
    pipeline(largeContent(), response, () => undefined)
  })
  await once(storage.listen(0, '127.0.0.1'), 'listening')
  testBerth = await startTestBerth({}, { attempts: 1 })
  service = await databaseClientsOf(testBerth, kindNamed('postgres')).createDeployed()
  destinationId = await createDestination(testBerth)
  const endpoint = `http://127.0.0.1:${(storage.address() as AddressInfo).port}`
  await testBerth.app.transact((tx) => tx.updateTable('destination').set({ endpoint }).execute())
  backupId = (
    await testBerth.ok<{ backupId: string }>('backup.create', {
      schedule: '0 3 * * *',
      prefix: 'nightly',
      destinationId,
      database: 'shop',
      databaseType: 'postgres',
      postgresId: service.postgresId,
    })
  ).backupId
})
afterEach(async () => {
  await testBerth.close()
  storage.closeAllConnections()
  storage.close()
})

type Run = Input & { runId: string; status: string; reason: string | null; fault: Input | null; attempt: number }

const insertRow = (more: Partial<BackupRunTable>): Promise<string> =>
  insertDump(testBerth, { backupId, databaseId: service.postgresId as string, destinationId, ...more })

const one = async (id: string) =>
  (await testBerth.ok<Run[]>('backup.runs', { backupId })).find(({ runId }) => runId === id)!

const tooLarge = 'The manifest nightly/key.json is larger than 16 MiB, the maximum that Berth reads'

test('refuses a restore whose manifest is too large, and names the object and the limit', async () => {
  const { message } = await testBerth.refused('PRECONDITION_FAILED', 'backup.restore', {
    destinationId,
    key: 'nightly/key',
    appName: 'another',
    projectId: testBerth.projectId,
  })
  assert.equal(message, tooLarge)
  assert.ok(sentBytes < 128 * 1024 ** 2, `Berth read ${sentBytes} bytes`)
})

test('fails a drill with the same message if the manifest is too large', async () => {
  const manifest: Manifest = {
    format: 1,
    kind: 'postgres',
    appName: service.appName,
    image: 'postgres:15',
    serverVersion: '15',
    settings: {},
    server: null,
    database: 'shop',
    runId: 'any',
    startedAt: '',
    finishedAt: '',
    sizeBytes: 1,
    sha256: 'a'.repeat(64),
    rawBytes: 1,
    encryptedFor: null,
    contents: { tables: {}, objects: {}, roles: null, database: null },
  }
  await insertRow({
    status: 'done',
    finishedAt: testBerth.now().toISOString(),
    key: 'nightly/key',
    manifest: JSON.stringify(manifest),
  })
  const { status, body } = await testBerth.call('backup.verify', { backupId }, wait)
  assert.deepEqual([status, body.message], [422, tooLarge])
})

test('does not restart a run during which Berth was killed six times', async () => {
  const id = await insertRow({ status: 'running', trigger: 'schedule', unfinishedStarts: 6 })
  testBerth.app.wake('backups')
  const run = await until('the run to end', async () => (await one(id)).status === 'error' && one(id))
  assert.deepEqual([run.fault, run.attempt], [{ reason: 'InterruptedTooOften', times: 6 }, 1], 'the run is not retried')
  assert.match(run.reason!, /^Berth ended 6 times during this run/)
})

test('restarts a run each time after a regular stop of Berth', async () => {
  const id = await insertRow({ status: 'running', step: 'check', key: 'nightly/hangs', unfinishedStarts: 5 })
  const starts = async () =>
    (
      await testBerth.app.db
        .selectFrom('backupRun')
        .select('unfinishedStarts')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
    ).unfinishedStarts
  for (let restarts = 0; restarts < 3; restarts++) {
    await until('the run to start', async () => (await starts()) === 6)
    await testBerth.restart(async () => {})
  }
  assert.equal((await one(id)).status, 'running')
})
