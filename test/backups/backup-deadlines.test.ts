/** Runs whose tool hangs end at their deadline with a reason, and do not block other runs. */
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { insertRun } from '../../src/backups/run-queries.ts'
import type { BackupRunTable } from '../../src/backups/table.ts'
import { until } from '../engine/until.ts'
import { type MemoryBucket, memoryBucket } from './memory-bucket.ts'
import { type Database, databaseClientsOf } from '../fixtures/database-clients.ts'
import { type Input, type TestBerth, startTestBerth, wait } from '../fixtures/test-berth.ts'

const opened = { testBerth: null as TestBerth | null, storage: null as MemoryBucket | null }
afterEach(async () => {
  await opened.testBerth?.close()
  await opened.storage?.[Symbol.asyncDispose]()
})

type Run = Input & { runId: string; status: string; reason: string; fault: Input; message?: string }

/** Starts a service and a storage, and creates a backup for each of the database names. */
async function start(env: Record<string, string>, ...databases: string[]) {
  const storage = await memoryBucket()
  opened.storage = storage
  const testBerth = await startTestBerth(env, { attempts: 1 })
  opened.testBerth = testBerth
  const service: Database = await databaseClientsOf(testBerth, kindNamed('mysql')).createDeployed()
  const { destinationId } = await testBerth.ok<{ destinationId: string }>('destination.create', {
    name: 'bucket',
    ...storage.settings,
  })
  const backups = await Promise.all(
    databases.map((database) =>
      testBerth.ok<{ backupId: string }>('backup.create', {
        schedule: '0 3 * * *',
        prefix: database,
        destinationId,
        database,
        databaseType: 'mysql',
        mysqlId: service.mysqlId,
      }),
    ),
  )
  return { testBerth, service, destinationId, backupIds: backups.map(({ backupId }) => backupId) }
}

const complete = "SELECT 'Berth: complete';\n"
const untilAborted = (signal: AbortSignal) =>
  new Promise<number>((resolve) => {
    signal.addEventListener('abort', () => resolve(137), { once: true })
  })
const dumpAndWait = (testBerth: TestBerth, backupId: string) =>
  testBerth.call<Run>('backup.manualBackupMySql', { backupId }, wait)

test('ends a tool that prints nothing at the idle deadline', async () => {
  const {
    testBerth,
    backupIds: [backupId = ''],
  } = await start({ BERTH_BACKUP_IDLE_SECONDS: '1' }, 'hanging')
  testBerth.engine.onJob = (_job, { stdout, signal }) => {
    stdout.write('CREATE TABLE `a` (`b` int);\n')
    return untilAborted(signal)
  }
  const { status, body } = await dumpAndWait(testBerth, backupId)
  assert.equal(status, 422)
  assert.match(body.message!, /^Berth ended the tool, because it transferred no data for 1 second/)
  const [row] = await testBerth.ok<Run[]>('backup.runs', { backupId })
  assert.deepEqual([row!.status, row!.reason, row!.fault], ['error', body.message, { reason: 'ToolIdle', seconds: 1 }])
  assert.deepEqual(await testBerth.engine.listJobs(), [])
})

test('ends a tool that reads none of its input at the idle deadline', async () => {
  const {
    testBerth,
    service,
    backupIds: [backupId = ''],
  } = await start({ BERTH_BACKUP_IDLE_SECONDS: '1' }, 'hanging')
  testBerth.engine.onJob = async (job, { stdin, stdout, signal }) => {
    if (job.name.startsWith('berth-load')) return untilAborted(signal)
    if (job.name.startsWith('berth-take')) await stdin!.toArray()
    if (!job.name.startsWith('berth-dump')) return 0
    // The dump must not fit into the buffers between the storage and a tool that reads nothing.
    for (let n = 0; n < 40_000; n++) stdout.write(`INSERT INTO \`a\` VALUES\n(${n},'${Math.random()}'${n});\n`)
    stdout.write(complete)
    return 0
  }
  const dumped = await dumpAndWait(testBerth, backupId)
  assert.deepEqual([dumped.status, dumped.body.message], [200, undefined])
  const { status, body } = await testBerth.call<Run>(
    'backup.restore',
    { backupId, runId: dumped.body.runId, mysqlId: service.mysqlId, confirm: service.appName, skipSafetyDump: true },
    wait,
  )
  assert.equal(status, 422)
  assert.match(body.message!, /^Berth ended the tool, because it transferred no data/)
})

test('ends a run at the total deadline', async () => {
  const {
    testBerth,
    backupIds: [backupId = ''],
  } = await start({ BERTH_BACKUP_TOTAL_SECONDS: '1' }, 'endless')
  testBerth.engine.onJob = async (_job, { stdout, signal }) => {
    for (let n = 0; !signal.aborted; n++) {
      stdout.write(`-- ${n}\n`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    return 137
  }
  const { body } = await dumpAndWait(testBerth, backupId)
  assert.match(body.message!, /^Berth ended the run after 1 second, its time limit/)
  const [row] = await testBerth.ok<Run[]>('backup.runs', { backupId })
  assert.deepEqual(row!.fault, { reason: 'TookTooLong', seconds: 1 })
})

test('a hanging run delays further runs of its node, but no runs without that node', async () => {
  const {
    testBerth,
    destinationId,
    service,
    backupIds: [hanging = '', other = '', third = ''],
  } = await start({ BERTH_BACKUP_CONCURRENCY: '2' }, 'hanging', 'other', 'third')
  testBerth.engine.onJob = async (job, { stdout, signal }) => {
    if (job.env.BERTH_DATABASE !== 'other') return untilAborted(signal)
    stdout.write(`CREATE TABLE \`a\` (\`b\` int);\n${complete}`)
    return 0
  }
  await testBerth.ok('backup.manualBackupMySql', { backupId: hanging })
  assert.equal((await dumpAndWait(testBerth, other)).status, 200)
  await testBerth.ok('backup.manualBackupMySql', { backupId: third })
  const isFull = async () =>
    (await testBerth.app.db.selectFrom('backupRun').select('id').where('status', '=', 'running').execute()).length === 2
  await until('two runs to be under way', isFull)
  // The second of these runs has no node and another destination.
  const otherDestination = (
    await testBerth.ok<{ destinationId: string }>('destination.create', { name: 'other', ...opened.storage!.settings })
  ).destinationId
  const insert = (more: Partial<BackupRunTable>) =>
    testBerth.app.transact((tx) =>
      insertRun(
        tx,
        {
          id: testBerth.app.newId(),
          backupId: null,
          action: 'dump',
          trigger: 'manual',
          kind: 'mysql',
          databaseId: null,
          database: 'none',
          destinationId,
          ...more,
        },
        testBerth.now(),
      ),
    )
  const waiting = await insert({ databaseId: service.mysqlId as string })
  const ended = await insert({ destinationId: otherDestination })
  testBerth.app.wake('backups')
  const statusOf = async ({ id }: BackupRunTable) =>
    (await testBerth.app.db.selectFrom('backupRun').select('status').where('id', '=', id).executeTakeFirstOrThrow())
      .status
  await until('the run to the other destination to end', async () => (await statusOf(ended)) === 'error')
  assert.equal(await statusOf(waiting), 'waiting')
})
