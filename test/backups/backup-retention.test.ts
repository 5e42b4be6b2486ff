/** Retention on the rows of the store, after a backup was changed between dumps. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { expireOlderDumps } from '../../src/backups/retention/expired.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { insertRun } from '../../src/backups/run-queries.ts'
import { makeDestination } from './backups.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { type Input, type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

let testBerth: TestBerth
let given: Input
beforeEach(async () => {
  testBerth = await startTestBerth()
  const { postgresId } = await databaseClientsOf(testBerth, kindNamed('postgres')).create()
  const destinationId = await makeDestination(testBerth)
  given = { schedule: '0 3 * * *', prefix: 'nightly', destinationId, database: 'shop', keepLatest: 2, postgresId }
})
afterEach(() => testBerth.close())

const create = async () =>
  (await testBerth.ok<{ backupId: string }>('backup.create', { ...given, databaseType: 'postgres' })).backupId

/** Inserts a run that just succeeded, and applies retention. */
async function dumped(backupId: string, database: string, rowCount: number | null = null): Promise<string> {
  const id = testBerth.app.newId()
  await testBerth.app.transact(async (tx) => {
    const row = await insertRun(
      tx,
      {
        id,
        backupId,
        action: 'dump',
        trigger: 'manual',
        kind: 'postgres',
        databaseId: given.postgresId as string,
        database,
        rowCount,
        rawBytes: rowCount === null ? null : rowCount * 1000,
        destinationId: given.destinationId as string,
        status: 'done',
        key: `nightly/${id}`,
        finishedAt: testBerth.now().toISOString(),
      },
      testBerth.now(),
    )
    await expireOlderDumps(tx, row, testBerth.now())
  })
  return id
}

async function left(backupId: string): Promise<string[]> {
  const runs = await testBerth.ok<{ runId: string; key: string | null }[]>('backup.runs', { backupId })
  return runs.filter(({ key }) => key !== null).map(({ runId }) => runId)
}

test('counts the dumps of both names separately after backup.update changed the database', async () => {
  const backupId = await create()
  const old = [await dumped(backupId, 'shop'), await dumped(backupId, 'shop'), await dumped(backupId, 'shop')]
  assert.deepEqual(await left(backupId), old.slice(1))
  const { schedule, prefix, destinationId } = given
  await testBerth.ok('backup.update', { backupId, schedule, prefix, destinationId, database: 'orders' })
  const fresh = [await dumped(backupId, 'orders'), await dumped(backupId, 'orders'), await dumped(backupId, 'orders')]
  assert.deepEqual(await left(backupId), [...old.slice(1), ...fresh.slice(1)])
})

interface Shrunk {
  runId: string
  shrunkFrom: string
}

const shrunkOf = async (backupId: string) =>
  (await testBerth.ok<{ shrunk: Shrunk | null }>('backup.one', { backupId })).shrunk

async function marks(backupId: string): Promise<(string | null)[]> {
  const runs = await testBerth.ok<{ shrunkFrom: string | null }[]>('backup.runs', { backupId })
  return runs.map(({ shrunkFrom }) => shrunkFrom)
}

const gauge = async (backupId: string) =>
  Number(
    new RegExp(`^berth_backup_shrunk\\{backup="${backupId}",.*\\} (\\d)$`, 'm').exec(
      await testBerth.app.metrics(),
    )?.[1],
  )

test('keeps all dumps before one with less than half of the rows, until a dump has half of them again', async () => {
  const backupId = await create()
  const large = [await dumped(backupId, 'shop', 1000), await dumped(backupId, 'shop', 1000)]
  assert.deepEqual([await shrunkOf(backupId), await gauge(backupId)], [null, 0])
  const small = [await dumped(backupId, 'shop', 0), await dumped(backupId, 'shop', 499)]
  small.push(await dumped(backupId, 'shop', 0))
  assert.deepEqual(await marks(backupId), [null, null, large[1], large[1], large[1]])
  assert.deepEqual(await left(backupId), [...large, ...small.slice(1)])
  const shrunk = { runId: small[0], shrunkFrom: large[1] }
  assert.deepEqual([await shrunkOf(backupId), await gauge(backupId)], [shrunk, 1])
  assert.deepEqual(
    (await testBerth.ok<{ shrunk: Shrunk }[]>('backup.all')).map((it) => it.shrunk),
    [shrunk],
  )
  const back = await dumped(backupId, 'shop', 500)
  assert.deepEqual(await left(backupId), [small[2], back], 'the rules apply again')
  assert.deepEqual([await shrunkOf(backupId), await gauge(backupId)], [null, 0])
  assert.deepEqual(await marks(backupId), [null, null, large[1], large[1], large[1], null], 'shrunkFrom stays')
})

test('backup.acceptShrink applies the rules again and makes the small dump the baseline', async () => {
  const backupId = await create()
  await testBerth.refused('PRECONDITION_FAILED', 'backup.acceptShrink', { backupId })
  await testBerth.refused('NOT_FOUND', 'backup.acceptShrink', { backupId: 'none' })
  const large = await dumped(backupId, 'shop', 1000)
  const small = [await dumped(backupId, 'shop', 10), await dumped(backupId, 'shop', 10)]
  assert.deepEqual(await left(backupId), [large, ...small])
  const { shrunk } = await testBerth.ok<{ shrunk: null }>('backup.acceptShrink', { backupId })
  assert.deepEqual([shrunk, await shrunkOf(backupId)], [null, null])
  const next = await dumped(backupId, 'shop', 10)
  assert.deepEqual([await left(backupId), await shrunkOf(backupId)], [[small[1], next], null])
})
