/** Conditions of backups, of destinations, and of the backup of Berth's own state. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { createDestination } from '../backups/backups.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth, type TestBerth, wait } from '../fixtures/test-berth.ts'
import { afterTurn, type Condition, readConditions, untilPresent } from './conditions.ts'

/** Every request to the storage fails, because nothing listens at its address. */
async function startWithBackup() {
  const testBerth = await startTestBerth({}, { attempts: 1 })
  const database = await databaseClientsOf(testBerth, kindNamed('postgres')).createDeployed()
  const destinationId = await createDestination(testBerth)
  const { backupId } = await testBerth.ok<{ backupId: string }>('backup.create', {
    schedule: '0 3 * * *',
    prefix: 'nightly',
    destinationId,
    database: 'shop',
    databaseType: 'postgres',
    postgresId: database.postgresId,
  })
  return { testBerth, database, destinationId, backupId }
}

/** Changes all runs, as if the storage had accepted them. */
async function letRunsSucceed({ app }: TestBerth): Promise<void> {
  await app.transact((tx) => tx.updateTable('backupRun').set({ status: 'done', reason: null, key: null }).execute())
}

test('a failed dump begins conditions of the backup and of the destination, and a good one ends them', async () => {
  const { testBerth, database, destinationId, backupId } = await startWithBackup()
  await using _ = testBerth
  await afterTurn(testBerth)
  assert.deepEqual(await readConditions(testBerth), [])
  assert.equal((await testBerth.call('backup.manualBackupPostgres', { backupId }, wait)).status, 422)
  const present = await untilPresent(testBerth, 'BackupFailed', 'DestinationUnreachable')
  const { BackupFailed: failed, DestinationUnreachable: unreachable } = present
  assert.deepEqual(
    [failed!.severity, failed!.subjectId, failed!.subjectName, failed!.projectId],
    ['warning', backupId, `${database.appName}/shop`, testBerth.projectId],
  )
  assert.match(failed!.reason, /^The last dump failed at 2030-01-01T.*: 127\.0\.0\.1:9 refused the connection/)
  assert.deepEqual(
    [unreachable!.severity, unreachable!.subjectId, unreachable!.subjectName, unreachable!.projectId],
    ['critical', destinationId, 'bucket', null],
  )
  assert.match(unreachable!.reason, /^127\.0\.0\.1:9 refused the connection/)
  await letRunsSucceed(testBerth)
  await untilPresent(testBerth)
})

test('a disabled backup has no conditions', async () => {
  const { testBerth, backupId } = await startWithBackup()
  await using _ = testBerth
  assert.equal((await testBerth.call('backup.manualBackupPostgres', { backupId }, wait)).status, 422)
  await untilPresent(testBerth, 'BackupFailed', 'DestinationUnreachable')
  const { prefix, schedule, database, destinationId } = await testBerth.ok('backup.one', { backupId })
  await testBerth.ok('backup.update', { backupId, prefix, schedule, database, destinationId, enabled: false })
  await untilPresent(testBerth)
})

test('a dump that was missed while Berth was down makes the backup overdue', async () => {
  const { testBerth } = await startWithBackup()
  await using _ = testBerth
  await testBerth.restart(async () => testBerth.pass(3 * 24 * 3600_000))
  await afterTurn(testBerth)
  testBerth.pass(30_000)
  const { BackupOverdue: overdue } = await untilPresent(testBerth, 'BackupOverdue')
  assert.deepEqual([overdue!.severity, overdue!.reasonCode], ['critical', 'ScheduleMissed'])
  assert.match(overdue!.reason, /^The dump that was due at 2030-01-01T03:00.* was not made\. There is no good dump$/)
})

test("Berth's own state without a backup is reported to administrators after the first deploy", async () => {
  await using testBerth = await startTestBerth()
  const isReported = async (as = testBerth.admin) =>
    (await testBerth.ok<Condition[]>('condition.all', {}, {}, as)).some(({ name }) => name === 'StateNotBackedUp')
  await afterTurn(testBerth)
  assert.equal(await isReported(), false)
  await databaseClientsOf(testBerth, kindNamed('postgres')).createDeployed()
  await afterTurn(testBerth)
  testBerth.pass(30_000)
  await afterTurn(testBerth)
  assert.deepEqual([await isReported(), await isReported(testBerth.user)], [true, false])
  const destinationId = await createDestination(testBerth)
  await testBerth.ok('state.schedule', { schedule: '0 3 * * *', destinationId })
  await afterTurn(testBerth)
  assert.equal(await isReported(), false)
})

test('a dump whose time passed while Berth was down for some hours is made late, and begins no condition', async () => {
  const { testBerth } = await startWithBackup()
  await using _ = testBerth
  await testBerth.restart(async () => testBerth.pass(6 * 3600_000))
  await afterTurn(testBerth)
  testBerth.pass(30_000)
  await afterTurn(testBerth)
  const all = await readConditions(testBerth, { state: 'all' })
  assert.deepEqual(
    all.filter(({ name }) => name === 'BackupOverdue'),
    [],
  )
})
