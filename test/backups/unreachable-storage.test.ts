/** Backup runs whose storage accepts no connection: they fail soon, and their uploaded data is deleted later. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { toJson } from '../../src/lib/json.ts'
import type { RunReason } from '../../src/dumps/run-reason.ts'
import { until } from '../engine/until.ts'
import { createDestination, insertDump } from './backups.ts'
import { type Database, databaseClientsOf } from '../fixtures/database-clients.ts'
import { type Input, type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

const minute = 60_000
let testBerth: TestBerth
let service: Database
let destinationId: string
beforeEach(async () => {
  testBerth = await startTestBerth({}, { attempts: 3, waitMs: 1 })
  service = await databaseClientsOf(testBerth, kindNamed('postgres')).createDeployed()
  destinationId = await createDestination(testBerth)
})
afterEach(() => testBerth.close())

type Run = Input & { runId: string; status: string; reason: string | null; key: string | null }

const create = async () =>
  (
    await testBerth.ok<{ backupId: string }>('backup.create', {
      schedule: '0 3 * * *',
      prefix: 'nightly',
      destinationId,
      database: 'shop',
      databaseType: 'postgres',
      postgresId: service.postgresId,
    })
  ).backupId

test('fails a manual run after the attempts if the storage refuses the connection', async () => {
  const backupId = await create()
  const { status, body } = await testBerth.call('backup.manualBackupPostgres', { backupId }, { prefer: 'wait=120' })
  assert.equal(status, 422)
  assert.match(body.message as string, /^127\.0\.0\.1:9 refused the connection/)
  const [run] = await testBerth.ok<Run[]>('backup.runs', { backupId })
  assert.deepEqual([run!.status, run!.reason, run!.reasonCode], ['error', body.message, body.reason])
  assert.match(run!.key!, /^nightly\//, 'the key stays for the later cleanup')
})

const reason = toJson<RunReason>({ reason: 'Failed', detail: 'The dump failed' })

/** Inserts the row of a failed dump whose uploaded data is still in the bucket. */
async function insertFailedDump(backupId: string): Promise<string> {
  const id = testBerth.app.newId()
  const ended = { status: 'error', reason, finishedAt: testBerth.now().toISOString() } as const
  const databaseId = service.postgresId as string
  return insertDump(testBerth, { id, backupId, databaseId, destinationId, key: `nightly/${id}`, ...ended })
}

const rowOf = (id: string) =>
  testBerth.app.db.selectFrom('backupRun').selectAll().where('id', '=', id).executeTakeFirst()

test('retries the cleanup of a failed run, even after its backup was removed', async () => {
  const backupId = await create()
  const id = await insertFailedDump(backupId)
  const before = await rowOf(id)
  testBerth.app.wake('backups')
  const later = await until('the next attempt', async () => {
    const row = await rowOf(id)
    return row !== undefined && row.dueAt > before!.dueAt && row
  })
  assert.ok(Date.parse(later.dueAt) - testBerth.now().getTime() > minute / 2)
  assert.deepEqual([later.status, later.reason, later.key], ['error', reason, before!.key])
  await testBerth.ok('backup.remove', { backupId })
  assert.equal((await rowOf(id))?.key, before!.key)
})
