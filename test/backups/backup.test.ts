/** Operations on backups, and their schedules: due, skipped and retried runs. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { insertRun } from '../../src/backups/run-queries.ts'
import { until } from '../engine/until.ts'
import { createDestination, setClock } from './backups.ts'
import { type Database, databaseClientsOf } from '../fixtures/database-clients.ts'
import { type Input, type TestBerth, startTestBerth, wait } from '../fixtures/test-berth.ts'

const kind = kindNamed('postgres')
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

let testBerth: TestBerth
let service: Database
let destinationId: string
beforeEach(async () => {
  testBerth = await startTestBerth({ BERTH_BACKUP_CONCURRENCY: '2' })
  service = await databaseClientsOf(testBerth, kind).create()
  destinationId = await createDestination(testBerth)
})
afterEach(() => testBerth.close())

const backupFields = (): Input => ({
  schedule: '0 3 * * *',
  prefix: 'nightly',
  destinationId,
  database: 'shop',
  databaseType: 'postgres',
  postgresId: service.postgresId,
})

type Backup = Input & { backupId: string; nextAt: string | null }
type Run = Input & { runId: string; status: string; reason: string | null; attempt: number }

const create = (more: Input = {}) => testBerth.ok<Backup>('backup.create', { ...backupFields(), ...more })
const runsOf = ({ backupId }: Backup) => testBerth.ok<Run[]>('backup.runs', { backupId })
const one = ({ backupId }: Backup) => testBerth.ok<Backup>('backup.one', { backupId })

/** Sets the clock and waits for a turn of the loop. */
async function pass(ms: number, backup: Backup, count: number): Promise<Run[]> {
  testBerth.pass(ms)
  testBerth.app.wake('backups')
  return until(`${count} runs`, async () => {
    const runs = await runsOf(backup)
    const isSettled = runs.every((run) => run.status !== 'running' || run.reason !== null)
    return runs.length >= count && isSettled ? runs : null
  })
}

test('answers the same complete record to create, one and all', async () => {
  const backup = await create()
  const { backupId, createdAt, promise, ...rest } = backup
  assert.match(String(promise), /./)
  assert.deepEqual(rest, {
    databaseType: 'postgres',
    postgresId: service.postgresId,
    mysqlId: null,
    mariadbId: null,
    mongoId: null,
    redisId: null,
    destinationId,
    database: 'shop',
    prefix: 'nightly',
    schedule: '0 3 * * *',
    timezone: 'UTC',
    enabled: true,
    verifySchedule: null,
    keepLatest: null,
    keepDays: null,
    recipient: null,
    signalUrl: null,
    shrunk: null,
    nextAt: '2030-01-01T03:00:00.000Z',
    nextVerifyAt: null,
  })
  assert.deepEqual(await one(backup), backup)
  assert.deepEqual(await testBerth.ok('backup.all'), [backup])
  assert.deepEqual(await testBerth.ok('backup.all', { serviceId: 'another' }), [])
  assert.match(String(createdAt), /^2030-01-01T/)
  const { backups } = await testBerth.ok<{ backups: Input[] }>('postgres.one', { postgresId: service.postgresId })
  assert.deepEqual(
    backups.map((linked) => linked.backupId),
    [backupId],
  )
})

const invalidFields: [what: string, more: Input, path: string][] = [
  ['a cron expression with six fields', { schedule: '0 0 3 * * *' }, 'schedule'],
  ['an invalid cron expression', { schedule: 'daily' }, 'schedule'],
  ['an unknown time zone', { timezone: 'Mars' }, 'timezone'],
  ['a relative path as a prefix', { prefix: '../other' }, 'prefix'],
  ['an empty prefix', { prefix: '' }, 'prefix'],
  ['a database name with a control character', { database: 'a\nb' }, 'database'],
  ['the id field of another kind', { mysqlId: 'x' }, 'mysqlId'],
  ['a missing id field', { postgresId: null }, 'postgresId'],
  ['a mistyped recipient', { recipient: 'age1qqqq' }, 'recipient'],
  ['a signalUrl that is not http(s)', { signalUrl: 'file:///etc/passwd' }, 'signalUrl'],
  ['a signalUrl with a user', { signalUrl: 'https://user@example.org/a' }, 'signalUrl'],
  ['a signalUrl with a password', { signalUrl: 'http://:p%40ss@example.org/a' }, 'signalUrl'],
  ['a keepLatest of 0', { keepLatest: 0 }, 'keepLatest'],
]
for (const [what, more, path] of invalidFields) {
  test(`create refuses ${what}, and names the field`, () =>
    testBerth.refused('BAD_REQUEST', 'backup.create', { ...backupFields(), ...more }, path).then(() => undefined))
}

test('answers 404 for a missing service or destination', async () => {
  await testBerth.refused('NOT_FOUND', 'backup.create', { ...backupFields(), postgresId: 'none' })
  await testBerth.refused('NOT_FOUND', 'backup.create', { ...backupFields(), destinationId: 'none' })
})

test('changes only the fields that an update contains, and clears a field that is null', async () => {
  const before = await create({ keepLatest: 3, timezone: 'Europe/Berlin', enabled: null })
  const { schedule, prefix, database } = before
  const sent = { backupId: before.backupId, schedule, prefix, database, destinationId }
  assert.deepEqual(await testBerth.ok('backup.update', sent), before)
  const more = { schedule: '@hourly', keepLatest: null, enabled: false }
  const after = await testBerth.ok<Backup>('backup.update', { ...sent, ...more })
  assert.deepEqual(after, { ...before, ...more, nextAt: null })
  await testBerth.refused(
    'BAD_REQUEST',
    'backup.update',
    { ...sent, signalUrl: 'http://a:b@example.org/' },
    'signalUrl',
  )
  const again = await testBerth.ok<Backup>('backup.update', { ...sent, schedule: '@hourly', enabled: true })
  assert.equal(again.nextAt, '2030-01-01T01:00:00.000Z')
})

test('refuses to remove a destination in use, and names its backups', async () => {
  const backup = await create()
  const { message } = await testBerth.refused('CONFLICT', 'destination.remove', { destinationId })
  assert.match(message, new RegExp(`${backup.backupId} \\(nightly\\)`))
  await testBerth.ok('backup.remove', { backupId: backup.backupId })
  await testBerth.ok('destination.remove', { destinationId })
})

test('refuses a manual dump of a stopped service or of another kind', async () => {
  const { backupId } = await create()
  await testBerth.refused('PRECONDITION_FAILED', 'backup.manualBackupPostgres', { backupId })
  const { message } = await testBerth.refused('BAD_REQUEST', 'backup.manualBackupMySql', { backupId }, 'backupId')
  assert.match(message, /backup\.manualBackupPostgres/)
  await testBerth.refused('PRECONDITION_FAILED', 'backup.verify', { backupId })
})

test('keeps the backups of a removed service, but disables them', async () => {
  const backup = await create()
  await testBerth.ok('postgres.remove', { postgresId: service.postgresId }, wait)
  assert.deepEqual(await one(backup), { ...backup, enabled: false, nextAt: null })
  const { schedule, prefix, database } = backup
  await testBerth.refused('NOT_FOUND', 'backup.update', {
    backupId: backup.backupId,
    schedule,
    prefix,
    database,
    destinationId,
    enabled: true,
  })
})

test('starts a scheduled run at its time, retries it with growing waits, and then fails it with a reason', async () => {
  const backup = await create()
  await setClock(testBerth, 2 * hour, backupFields())
  assert.deepEqual(await runsOf(backup), [])
  const reason = 'The service was never deployed'
  let [run] = await pass(hour + minute, backup, 1)
  assert.deepEqual([run!.status, run!.reason, run!.attempt], ['running', reason, 2])
  assert.deepEqual([run!.reasonCode, run!.fault], ['ServiceNotDeployed', null])
  for (const [waitMs, attempt] of [
    [minute, 3],
    [4 * minute, 4],
  ] as const) {
    ;[run] = await pass(waitMs + 1000, backup, 1)
    await until('the next attempt', async () => {
      ;[run] = await runsOf(backup)
      return run!.attempt === attempt
    })
    assert.equal(run!.status, 'running')
  }
  testBerth.pass(16 * minute + 1000)
  testBerth.app.wake('backups')
  run = await until(
    'the run to end',
    async () => (await runsOf(backup)).find(({ status }) => status === 'error') ?? null,
  )
  assert.deepEqual([run.attempt, run.reason, run.key], [4, reason, null])
  assert.equal((await one(backup)).nextAt, '2030-01-02T03:00:00.000Z')
})

test('skips a scheduled run while the previous one is open', async () => {
  const backup = await create({ schedule: '* * * * *' })
  const [first, second] = await pass(minute, backup, 1)
    .then(() => pass(minute / 2, backup, 1))
    .then(() => pass(minute / 2, backup, 2))
  assert.deepEqual([first!.status, second!.status], ['running', 'skipped'])
  assert.match(second!.reason!, new RegExp(first!.runId))
  assert.equal(second!.reasonCode, 'PreviousRunOpen')
})

test('runs a missed schedule once, and skips it after more than a day', async () => {
  const backup = await create({ schedule: '0 * * * *' })
  await testBerth.restart(async () => testBerth.pass(20 * hour))
  assert.equal((await pass(0, backup, 1)).length, 1)
  await testBerth.ok('backup.cancel', { runId: (await runsOf(backup))[0]!.runId })
  testBerth.pass(hour / 2)
  testBerth.app.wake('backups')
  await until('the run to end', async () => (await runsOf(backup))[0]!.status === 'error')
  await testBerth.restart(async () => testBerth.pass(3 * day))
  const runs = await pass(0, backup, 2)
  assert.deepEqual([runs.length, runs[1]!.status], [2, 'skipped'])
  assert.match(runs[1]!.reason!, /more than a day ago/)
  assert.equal(runs[1]!.reasonCode, 'MissedSchedule')
})

test('continues a schedule after the clock was set back', async () => {
  const backup = await create()
  await testBerth.app.transact((tx) => tx.updateTable('backup').set({ nextAt: '2050-01-01T03:00:00.000Z' }).execute())
  await testBerth.restart()
  await until('the due time to be corrected', async () => (await one(backup)).nextAt === '2030-01-01T03:00:00.000Z')
})

test('answers the metrics of backups to callers with a token of an account', async () => {
  const backup = await create({ database: 'a "quoted"\\name' })
  const at = testBerth.now().toISOString()
  await testBerth.app.transact((tx) =>
    insertRun(
      tx,
      {
        id: 'run',
        backupId: backup.backupId,
        action: 'dump',
        trigger: 'manual',
        kind: 'postgres',
        databaseId: null,
        database: 'shop',
        destinationId,
        status: 'done',
        finishedAt: at,
      },
      testBerth.now(),
    ),
  )
  testBerth.pass(hour)
  const getMetrics = async (authorization?: string) =>
    fetch(`${await listening}/metrics`, authorization === undefined ? {} : { headers: { authorization } })
  const listening = testBerth.listen()
  assert.equal((await getMetrics()).status, 401)
  assert.equal((await getMetrics(`Bearer ${testBerth.app.config.accessToken}`)).status, 403)
  const text = await (await getMetrics(`Bearer ${testBerth.user}`)).text()
  const labels = `backup="${backup.backupId}",kind="postgres",service="db",database="a \\"quoted\\"\\\\name"`
  assert.match(text, new RegExp(`^${RegExp.escape(`berth_backup_last_good_age_seconds{${labels}}`)} 3600\\.`, 'm'))
  assert.match(text, /^berth_backup_runs_open 0$/m)
  assert.match(text, /^berth_loop_failures\{loop="backups"\} 0$/m)
  assert.match(text, /^berth_loop_last_turn_age_seconds\{loop="backups"\} [\d.e-]+$/m)
  assert.doesNotMatch(text, /verified_age_seconds\{/)
})

test('starts many missed runs in the order of their due times, within the limit on concurrent runs', async () => {
  // Several times the number of runs that one turn of the loop considers.
  const count = 300
  const backup = await create()
  const row = await testBerth.app.db.selectFrom('backup').selectAll().executeTakeFirstOrThrow()
  const startMs = testBerth.now().getTime()
  const dueAt = (n: number) => new Date(startMs + hour - (count + 1 - n) * 1000).toISOString()
  await testBerth.app.transact(async (tx) => {
    // The order of insertion differs from the order of the due times. The backups become due while Berth is down.
    for (let n = 0; n < count; n++) {
      const index = (n * 7) % count
      await tx
        .insertInto('backup')
        .values({ ...row, id: `backup ${index}`, nextAt: dueAt(index) })
        .execute()
    }
  })
  await testBerth.restart(async () => testBerth.pass(hour))
  let maxRunning = 0
  const runs = await until(
    'all runs to have failed once',
    async () => {
      const all = await testBerth.app.db
        .selectFrom('backupRun')
        .select(['backupId', 'status', 'attempt', 'id'])
        .orderBy('id')
        .execute()
      maxRunning = Math.max(maxRunning, all.filter(({ status }) => status === 'running').length)
      return all.length === count && all.every(({ attempt }) => attempt === 2) ? all : null
    },
    180_000,
  )
  assert.ok(maxRunning <= 2, `${maxRunning} at once`)
  assert.deepEqual(
    runs.map(({ backupId }) => backupId),
    Array.from({ length: count }, (_, n) => `backup ${n}`),
  )
  assert.deepEqual(await runsOf(backup), [])
})
