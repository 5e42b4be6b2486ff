/** Retention on the rows of the store: after a backup was changed between dumps, and after a dump shrank. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { expireOlderDumps } from '../../src/backups/retention/expired.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { insertRun } from '../../src/backups/run-queries.ts'
import { createDestination } from './backups.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { type Input, type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

let testBerth: TestBerth
let backupFields: Input
beforeEach(async () => {
  testBerth = await startTestBerth()
  const { postgresId } = await databaseClientsOf(testBerth, kindNamed('postgres')).create()
  const destinationId = await createDestination(testBerth)
  backupFields = {
    schedule: '0 3 * * *',
    prefix: 'nightly',
    destinationId,
    database: 'shop',
    keepLatest: 2,
    postgresId,
  }
})
afterEach(() => testBerth.close())

const create = async () =>
  (await testBerth.ok<{ backupId: string }>('backup.create', { ...backupFields, databaseType: 'postgres' })).backupId

/** Inserts a run that just succeeded, and applies retention. */
async function insertDump(backupId: string, database: string, rowCount: number | null = null): Promise<string> {
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
        databaseId: backupFields.postgresId as string,
        database,
        rowCount,
        rawBytes: rowCount === null ? null : rowCount * 1000,
        destinationId: backupFields.destinationId as string,
        status: 'done',
        key: `nightly/${id}`,
        finishedAt: testBerth.now().toISOString(),
      },
      testBerth.now(),
    )
    await expireOlderDumps(tx, row, testBerth.now(), testBerth.now())
  })
  return id
}

/** Returns the ids of the runs whose dumps retention keeps. */
async function storedDumps(backupId: string): Promise<string[]> {
  const runs = await testBerth.ok<{ runId: string; key: string | null }[]>('backup.runs', { backupId })
  return runs.filter(({ key }) => key !== null).map(({ runId }) => runId)
}

test('counts the dumps of both names separately after backup.update changed the database', async () => {
  const backupId = await create()
  const oldDumps = [
    await insertDump(backupId, 'shop'),
    await insertDump(backupId, 'shop'),
    await insertDump(backupId, 'shop'),
  ]
  assert.deepEqual(await storedDumps(backupId), oldDumps.slice(1))
  const { schedule, prefix, destinationId } = backupFields
  await testBerth.ok('backup.update', { backupId, schedule, prefix, destinationId, database: 'orders' })
  const newDumps = [
    await insertDump(backupId, 'orders'),
    await insertDump(backupId, 'orders'),
    await insertDump(backupId, 'orders'),
  ]
  assert.deepEqual(await storedDumps(backupId), [...oldDumps.slice(1), ...newDumps.slice(1)])
})

interface Shrunk {
  runId: string
  shrunkFrom: string
}

const shrunkOf = async (backupId: string) =>
  (await testBerth.ok<{ shrunk: Shrunk | null }>('backup.one', { backupId })).shrunk

async function shrunkFromOf(backupId: string): Promise<(string | null)[]> {
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
  const large = [await insertDump(backupId, 'shop', 1000), await insertDump(backupId, 'shop', 1000)]
  assert.deepEqual([await shrunkOf(backupId), await gauge(backupId)], [null, 0])
  const small = [await insertDump(backupId, 'shop', 0), await insertDump(backupId, 'shop', 499)]
  small.push(await insertDump(backupId, 'shop', 0))
  assert.deepEqual(await shrunkFromOf(backupId), [null, null, large[1], large[1], large[1]])
  assert.deepEqual(await storedDumps(backupId), [...large, ...small.slice(1)])
  const shrunk = { runId: small[0], shrunkFrom: large[1] }
  assert.deepEqual([await shrunkOf(backupId), await gauge(backupId)], [shrunk, 1])
  assert.deepEqual(
    (await testBerth.ok<{ shrunk: Shrunk }[]>('backup.all')).map((backup) => backup.shrunk),
    [shrunk],
  )
  const recovered = await insertDump(backupId, 'shop', 500)
  assert.deepEqual(await storedDumps(backupId), [small[2], recovered], 'the rules apply again')
  assert.deepEqual([await shrunkOf(backupId), await gauge(backupId)], [null, 0])
  assert.deepEqual(await shrunkFromOf(backupId), [null, null, large[1], large[1], large[1], null], 'shrunkFrom stays')
})

test('applies the rules again after backup.acceptShrink, and compares later dumps with the small one', async () => {
  const backupId = await create()
  await testBerth.refused('PRECONDITION_FAILED', 'backup.acceptShrink', { backupId })
  await testBerth.refused('NOT_FOUND', 'backup.acceptShrink', { backupId: 'none' })
  const large = await insertDump(backupId, 'shop', 1000)
  const small = [await insertDump(backupId, 'shop', 10), await insertDump(backupId, 'shop', 10)]
  assert.deepEqual(await storedDumps(backupId), [large, ...small])
  const { shrunk } = await testBerth.ok<{ shrunk: null }>('backup.acceptShrink', { backupId })
  assert.deepEqual([shrunk, await shrunkOf(backupId)], [null, null])
  const next = await insertDump(backupId, 'shop', 10)
  assert.deepEqual([await storedDumps(backupId), await shrunkOf(backupId)], [[small[1], next], null])
})
