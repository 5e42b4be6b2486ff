/** Backup runs whose storage accepts no connection: they end soon, and their uploaded data is deleted later. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { toJson } from '../../src/lib/json.ts'
import { insertRun } from '../../src/backups/run-queries.ts'
import type { RunReason } from '../../src/dumps/run-reason.ts'
import { until } from '../engine/until.ts'
import { makeDestination } from './backups.ts'
import { type Database, databaseClientsOf } from '../fixtures/database-clients.ts'
import { type Input, type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

const minute = 60_000
let testBerth: TestBerth
let service: Database
let destinationId: string
beforeEach(async () => {
  // The timeouts of production.
  testBerth = await startTestBerth()
  service = await databaseClientsOf(testBerth, kindNamed('postgres')).up()
  destinationId = await makeDestination(testBerth)
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

test('a manual run fails within 30 seconds if the storage refuses the connection', async () => {
  const backupId = await create()
  const began = performance.now()
  const { status, body } = await testBerth.call('backup.manualBackupPostgres', { backupId }, { prefer: 'wait=120' })
  assert.ok(performance.now() - began < 30_000, `it took ${Math.round(performance.now() - began)} ms`)
  assert.equal(status, 422)
  assert.match(body.message as string, /^127\.0\.0\.1:9 refused the connection/)
  const [run] = await testBerth.ok<Run[]>('backup.runs', { backupId })
  assert.deepEqual([run!.status, run!.reason], ['error', body.message])
  assert.match(run!.key!, /^nightly\//, 'the key stays for the later cleanup')
})

/** Inserts the row of a failed dump that left data in the bucket. */
const reason = toJson<RunReason>({ reason: 'Failed', detail: 'It failed' })

async function failed(backupId: string): Promise<string> {
  const id = testBerth.app.newId()
  const at = testBerth.now().toISOString()
  await testBerth.app.transact((tx) =>
    insertRun(
      tx,
      {
        id,
        backupId,
        action: 'dump',
        trigger: 'manual',
        kind: 'postgres',
        databaseId: service.postgresId as string,
        database: 'shop',
        destinationId,
        status: 'error',
        reason,
        key: `nightly/${id}`,
        finishedAt: at,
      },
      testBerth.now(),
    ),
  )
  return id
}

const rowOf = (id: string) =>
  testBerth.app.db.selectFrom('backupRun').selectAll().where('id', '=', id).executeTakeFirst()

test('cleanup after a failed run is retried, even after its backup was removed', async () => {
  const backupId = await create()
  const id = await failed(backupId)
  const before = await rowOf(id)
  testBerth.app.wake('backups')
  const later = await until('the next try', async () => {
    const row = await rowOf(id)
    return row !== undefined && row.dueAt > before!.dueAt && row
  })
  assert.ok(Date.parse(later.dueAt) - testBerth.now().getTime() > minute / 2)
  assert.deepEqual([later.status, later.reason, later.key], ['error', reason, before!.key])
  await testBerth.ok('backup.remove', { backupId })
  assert.equal((await rowOf(id))?.key, before!.key)
})
