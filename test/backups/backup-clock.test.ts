/** Schedules and retries while the clock is set forward by days and back: no scheduled time has two runs. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { createDestination, setClock } from './backups.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { type Input, type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

interface Run {
  runId: string
  status: string
  reason: string | null
  attempt: number
  createdAt: string
}

let testBerth: TestBerth
let backupFields: Input
beforeEach(async () => {
  testBerth = await startTestBerth()
  const { postgresId } = await databaseClientsOf(testBerth, kindNamed('postgres')).create()
  const destinationId = await createDestination(testBerth)
  backupFields = { prefix: 'nightly', destinationId, database: 'shop', databaseType: 'postgres', postgresId }
})
afterEach(() => testBerth.close())

const create = async (schedule: string) =>
  (await testBerth.ok<{ backupId: string }>('backup.create', { ...backupFields, schedule })).backupId
const runsOf = (backupId: string) => testBerth.ok<Run[]>('backup.runs', { backupId })
const moveClock = (ms: number) => setClock(testBerth, ms, backupFields)
const nextOf = async (backupId: string) => (await testBerth.ok<{ nextAt: string }>('backup.one', { backupId })).nextAt

/** Cancels the open runs of a backup and waits for their end. The service was never deployed, so no run can succeed. */
async function cancelAll(backupId: string): Promise<void> {
  for (const { runId, status } of await runsOf(backupId)) {
    if (status === 'running') await testBerth.ok('backup.cancel', { runId })
  }
  await until('all runs to end', async () => {
    testBerth.pass(16 * minute)
    testBerth.app.wake('backups')
    return (await runsOf(backupId)).every(({ status }) => status !== 'running')
  })
}

test('skips each schedule once after the clock was set forward by days', async () => {
  const [every, hourly, daily] = [await create('* * * * *'), await create('0 * * * *'), await create('0 3 * * *')]
  await moveClock(5 * day + 30_000)
  for (const backupId of [every, hourly, daily]) {
    const runs = await runsOf(backupId)
    assert.deepEqual(
      runs.map(({ status }) => status),
      ['skipped'],
    )
    assert.match(runs[0]!.reason!, /more than a day ago\. Berth was not running, or the clock was set forward/)
  }
  assert.deepEqual(
    [await nextOf(every), await nextOf(hourly), await nextOf(daily)],
    ['2030-01-06T00:01:00.000Z', '2030-01-06T01:00:00.000Z', '2030-01-06T03:00:00.000Z'],
  )
})

test('runs a missed schedule once after the clock was set forward by less than a day', async () => {
  const backupId = await create('0 * * * *')
  await moveClock(20 * hour + minute)
  assert.equal((await runsOf(backupId)).length, 1)
  assert.equal(await nextOf(backupId), '2030-01-01T21:00:00.000Z')
})

test('repeats no run and omits none after the clock was set back', async () => {
  const backupId = await create('0 * * * *')
  await moveClock(3 * hour + minute)
  await cancelAll(backupId)
  const [first] = await runsOf(backupId)
  assert.match(first!.createdAt, /^2030-01-01T03:0/)
  const ahead = testBerth.now().getTime() - Date.parse('2030-01-01T01:30:00.000Z')
  await moveClock(-ahead)
  assert.equal(await nextOf(backupId), '2030-01-01T02:00:00.000Z', 'the run of 03:00 exists, the run of 02:00 does not')
  await moveClock(31 * minute)
  assert.equal((await runsOf(backupId)).length, 2)
  await moveClock(-2 * minute)
  await cancelAll(backupId)
  await testBerth.restart()
  assert.equal(await nextOf(backupId), '2030-01-01T04:00:00.000Z')
  assert.equal((await runsOf(backupId)).length, 2, 'no run is added, at once or after a restart')
})

test('continues a schedule after the clock was set forward and back again', async () => {
  const backupId = await create('0 3 * * *')
  await moveClock(6 * day)
  assert.equal(await nextOf(backupId), '2030-01-07T03:00:00.000Z')
  await moveClock(-6 * day)
  assert.equal(await nextOf(backupId), '2030-01-01T03:00:00.000Z')
  await moveClock(3 * hour)
  assert.deepEqual(
    (await runsOf(backupId)).map(({ status }) => status),
    ['skipped', 'running'],
  )
  assert.equal(await nextOf(backupId), '2030-01-02T03:00:00.000Z')
})

test('retries a waiting run in time after the clock was set back', async () => {
  const backupId = await create('0 3 * * *')
  await moveClock(3 * hour + minute)
  const isFirstRunAt = async (attempt: number) => (await runsOf(backupId))[0]!.attempt === attempt
  await until('the first attempt to end', () => isFirstRunAt(2))
  await moveClock(-2 * day)
  testBerth.pass(minute)
  testBerth.app.wake('backups')
  await until('the second attempt to end', () => isFirstRunAt(3))
})
