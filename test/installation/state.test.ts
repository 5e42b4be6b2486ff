/** The backup schedule of Berth's own state: at most one, for administrators only, separate from database backups. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { until } from '../engine/until.ts'
import { createDestination } from '../backups/backups.ts'
import { type Input, type TestBerth, startTestBerth, wait } from '../fixtures/test-berth.ts'

let testBerth: TestBerth
let destinationId: string
beforeEach(async () => {
  testBerth = await startTestBerth({}, { attempts: 1 })
  destinationId = await createDestination(testBerth)
})
afterEach(() => testBerth.close())

type Run = Input & { runId: string; status: string; reason: string | null; attempt: number; trigger: string }

const schedule = (fields: Input = {}) =>
  testBerth.ok('state.schedule', { schedule: '0 3 * * *', destinationId, ...fields })
const runs = () => testBerth.ok<Run[]>('state.runs')

test('creates, changes, reads and deletes a schedule', async () => {
  const { createdAt, ...created } = await schedule()
  assert.match(String(createdAt), /^2030-/)
  assert.deepEqual(created, {
    destinationId,
    schedule: '0 3 * * *',
    timezone: 'UTC',
    enabled: true,
    prefix: '',
    keepLatest: null,
    keepDays: null,
    signalUrl: null,
    nextAt: '2030-01-01T03:00:00.000Z',
  })
  assert.deepEqual(await testBerth.ok('state.one'), { createdAt, ...created })
  await schedule({ keepLatest: 7, prefix: 'berths', timezone: 'Asia/Tokyo' })
  const changed = await schedule({ schedule: '@hourly', enabled: false })
  assert.deepEqual(changed, {
    ...created,
    createdAt,
    schedule: '@hourly',
    timezone: 'Asia/Tokyo',
    enabled: false,
    prefix: 'berths',
    keepLatest: 7,
    nextAt: null,
  })
  assert.deepEqual((await schedule({ keepLatest: null })).enabled, false, 'omitted fields keep their values')
  await testBerth.ok('state.unschedule')
  await testBerth.refused('NOT_FOUND', 'state.one', {})
  await testBerth.refused('NOT_FOUND', 'state.unschedule', {})
})

test('names the wrong field and schedules nothing', async () => {
  const wrong: [Input, string][] = [
    [{ schedule: 'at three' }, 'schedule'],
    [{ prefix: '../x' }, 'prefix'],
    [{ timezone: 'Nowhere' }, 'timezone'],
    [{ keepLatest: 0 }, 'keepLatest'],
    [{ signalUrl: 'ftp://x' }, 'signalUrl'],
    [{ signalUrl: 'http://a:b@x/' }, 'signalUrl'],
    [{ destinationId: '' }, 'destinationId'],
  ]
  for (const [fields, path] of wrong) {
    await testBerth.refused('BAD_REQUEST', 'state.schedule', { schedule: '0 3 * * *', destinationId, ...fields }, path)
  }
  await testBerth.refused('NOT_FOUND', 'state.schedule', { schedule: '0 3 * * *', destinationId: 'none' })
  const { message } = await testBerth.refused('PRECONDITION_FAILED', 'state.backup', {})
  assert.match(message, /Create one with state\.schedule/)
  assert.deepEqual(await testBerth.app.db.selectFrom('backup').select('id').execute(), [])
})

test('hides the schedule from users and from the backups of databases', async () => {
  await schedule()
  for (const [name, input] of [
    ['state.one', {}],
    ['state.runs', {}],
    ['state.backup', {}],
    ['state.unschedule', {}],
    ['state.schedule', { schedule: '0 3 * * *', destinationId }],
    ['state.cancel', { runId: 'x' }],
  ] as const) {
    assert.equal((await testBerth.call(name, input, {}, testBerth.user)).status, 403, name)
  }
  assert.deepEqual(await testBerth.ok('backup.all'), [])
  const { id: backupId } = await testBerth.app.db.selectFrom('backup').select('id').executeTakeFirstOrThrow()
  await testBerth.refused('NOT_FOUND', 'backup.one', { backupId })
  await testBerth.refused('NOT_FOUND', 'backup.remove', { backupId })
  await testBerth.refused('NOT_FOUND', 'backup.runs', { backupId })
  await testBerth.refused('NOT_FOUND', 'backup.manualBackupPostgres', { backupId })
  const { body } = await testBerth.call<Run>('state.backup')
  await testBerth.refused('NOT_FOUND', 'backup.cancel', { runId: body.runId })
  const { message } = await testBerth.refused('CONFLICT', 'destination.remove', { destinationId })
  assert.match(message, /the backup of Berth's own state \(state\.schedule\)/)
})

test('a manual run reports why it failed, and the audit log records its caller', async () => {
  await schedule()
  const { status, body } = await testBerth.call<{ message: string }>('state.backup', {}, wait)
  assert.equal(status, 422)
  assert.match(body.message, /127\.0\.0\.1:9/)
  const [run, ...more] = await runs()
  assert.deepEqual([run!.status, run!.trigger, more], ['error', 'manual', []])
  await testBerth.refused('PRECONDITION_FAILED', 'state.cancel', { runId: run!.runId })
  const entries = await testBerth.app.db
    .selectFrom('audit')
    .select(['operation', 'result', 'email'])
    .where('operation', 'like', 'state.%')
    .orderBy('seq')
    .execute()
  assert.deepEqual(
    entries.map(({ operation, result }) => [operation, result]),
    [
      ['state.schedule', 'OK'],
      ['state.backup', 'OK'],
      ['state.cancel', 'PRECONDITION_FAILED'],
    ],
  )
  assert.ok(entries.every(({ email }) => email === 'admin@example.org'))
})

test('retries a scheduled run, and refuses a second run and state.unschedule meanwhile', async () => {
  await schedule()
  testBerth.pass(3 * 3600_000)
  testBerth.app.wake('backups')
  const run = await until('the first attempt to fail', async () => {
    const [firstRun] = await runs()
    return firstRun?.reason != null && firstRun
  })
  assert.deepEqual([run.status, run.trigger, run.attempt], ['running', 'schedule', 2])
  const { message } = await testBerth.refused('CONFLICT', 'state.backup', {})
  assert.match(message, /or call state\.cancel/)
  await testBerth.refused('CONFLICT', 'state.unschedule', {})
  await testBerth.refused('NOT_FOUND', 'state.cancel', { runId: 'none' })
  await testBerth.ok('state.cancel', { runId: run.runId })
  testBerth.pass(120_000)
  testBerth.app.wake('backups')
  await until('the run to end', async () => (await runs())[0]!.status === 'error')
  await testBerth.ok('state.unschedule')
  assert.deepEqual(await runs(), [])
})

test('the metrics contain the schedule', async () => {
  await schedule()
  const line = /berth_backup_enabled\{backup="[^"]+",kind="state",service="",database="state"\} 1/
  assert.match(await testBerth.app.metrics(), line)
})
