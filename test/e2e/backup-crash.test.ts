/**
 * Kills Berth with SIGKILL during a dump, its check and a restore. After a restart Berth resumes a dump or a check: the
 * run succeeds, and the bucket contains its dump once. Berth does not repeat a load; the run fails. No container or
 * upload remains. Between the kill and the restart, the test reads in the store that the run had not ended.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openBucket } from '../../src/lib/s3/s3.ts'
import { rowsOf } from '../crash/store.ts'
import { until } from '../engine/until.ts'
import { compareData } from '../fixtures/compare-data.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import { restingSchedule } from '../fixtures/resting-schedule.ts'
import { type BerthProcess, berthProcess } from './process.ts'
import { type Storage, startStorage } from './storage.ts'
import { freePort } from '../fixtures/free-port.ts'
import { docker, removeAll, type Service, sql } from './swarm.ts'

interface Run {
  runId: string
  trigger: string
  status: string
  step: string | null
  reason: string | null
  key: string | null
  safetyRunId: string | null
  fault: { reason: string; data: string } | null
}

/** The point of a run at which Berth is killed: the job that runs, and the trigger and step in the store. */
interface KillPoint {
  job: 'dump' | 'read' | 'load'
  trigger: 'manual' | 'safety'
  step: string
}

let storage: Storage
before(async () => {
  storage = await startStorage()
  storage.makeBucket('backups')
})
after(() => storage[Symbol.asyncDispose]())

/** Returns the ids of running containers whose name contains `name`. */
const jobsOf = (name: string, ...more: string[]) => docker('ps', '--quiet', '--filter', `name=${name}`, ...more)

/** Returns the running runs in the store. */
const openRuns = (folder: string) =>
  rowsOf<{ id: string; trigger: string; step: string }>(
    folder,
    `select "id", "trigger", "step" from "backupRun" where "status" = 'running'`,
  )

/** Reads the store first, because that is fast and a run's step is stored before its job starts. */
async function isAtKillPoint(folder: string, { job, trigger, step }: KillPoint): Promise<boolean> {
  const run = openRuns(folder).find((openRun) => openRun.trigger === trigger && openRun.step === step)
  return run !== undefined && (await jobsOf(`berth-${job}-${run.id}`)).length > 0
}

/** Polls more often than `until`, because a job may last only half a second. */
async function waitForKillPoint(folder: string, point: KillPoint): Promise<void> {
  const deadline = Date.now() + 120_000
  while (!(await isAtKillPoint(folder, point))) {
    assert.ok(Date.now() < deadline, `no ${point.trigger} ${point.job} job started`)
    await pause(10)
  }
}

/** Deploys a PostgreSQL service with a large table. */
async function deployDatabase(berth: BerthProcess) {
  const { body: project } = await berth.call<{ projectId: string }>('project.create', { name: 'crash' })
  const { body: created } = await berth.call<Service>('postgres.create', {
    name: 'db',
    appName: `backup-crash-${process.pid}`,
    projectId: project.projectId,
    databaseName: 'shop',
    databaseUser: 'shop',
    databasePassword: 'a password of the shop',
  })
  const { postgresId } = created
  await berth.call('postgres.saveExternalPort', { postgresId, externalPort: await freePort() })
  const { status } = await berth.call('postgres.deploy', { postgresId }, { prefer: 'wait=120' })
  assert.equal(status, 200)
  const { body } = await berth.call<Service>('postgres.one', { postgresId })
  const text = "select string_agg(md5(random()::text || n || m), '') from generate_series(1, 32) m"
  await sql(
    body.connection.externalUrl,
    `create table big as select n, (${text}) as text from generate_series(1, 24000) n`,
  )
  return body
}

test('Berth resumes a dump and a check after it was killed, and reports a load as interrupted', async (t) => {
  const folder = temporaryFolder(t)
  const berth = await berthProcess(folder)
  t.after(() => berth.kill())
  await berth.start()
  await berth.signIn()
  const database = await deployDatabase(berth)
  const format = '{{index .Spec.Labels "berth.installation"}}'
  const installationId = (await docker('service', 'inspect', database.appName, '--format', format))[0]!
  t.after(() => removeAll(installationId))
  const { body: destination } = await berth.call<{ destinationId: string }>('destination.create', {
    name: 'storage',
    ...storage.settings('backups'),
  })
  const { body: backup } = await berth.call<{ backupId: string }>('backup.create', {
    schedule: restingSchedule,
    prefix: 'crash',
    destinationId: destination.destinationId,
    database: 'shop',
    databaseType: 'postgres',
    postgresId: database.postgresId,
  })
  const waitForEnd = (runId: string) =>
    until(
      'the run to end',
      async () => {
        const { body } = await berth.call<Run[]>('backup.runs', { backupId: backup.backupId })
        return body.find((run) => run.runId === runId && run.status !== 'running') ?? null
      },
      120_000,
    )
  const runAndKillAt = async (name: string, input: Record<string, unknown>, point: KillPoint) => {
    const { status, body } = await berth.call<Run>(`backup.${name}`, input)
    assert.equal(status, 200, JSON.stringify(body))
    await waitForKillPoint(folder, point)
    await berth.kill()
    const { trigger, step } = point
    assert.ok(
      openRuns(folder).some((openRun) => openRun.trigger === trigger && openRun.step === step),
      `the kill came after step ${step}`,
    )
    await berth.start()
    const run = await waitForEnd(body.runId)
    const ended = point.job === 'load' ? ['error', run.reason] : ['done', null]
    await compareData('the run after the kill', () => assert.deepEqual([run.status, run.reason], ended))
    await until('the containers of the run to be removed', async () => (await jobsOf(body.runId, '--all')).length === 0)
    return run
  }
  using bucket = openBucket(storage.settings('backups'))
  const { backupId } = backup
  const runs = [
    await runAndKillAt('manualBackupPostgres', { backupId }, { job: 'dump', trigger: 'manual', step: 'dump' }),
    await runAndKillAt('manualBackupPostgres', { backupId }, { job: 'read', trigger: 'manual', step: 'check' }),
  ]
  const { objects } = await bucket.list('crash/', 100, null, AbortSignal.timeout(10_000))
  const expectedKeys = runs.flatMap(({ key }) => [key!, `${key}.json`])
  const uploads = await bucket.listUploads('crash/', AbortSignal.timeout(10_000))
  await compareData('the bucket', () => {
    assert.deepEqual(objects.map(({ key }) => key).toSorted(), expectedKeys.toSorted())
    assert.deepEqual(uploads, [])
  })

  const { externalUrl } = database.connection
  const checksum = "select count(*)::int as count, md5(string_agg(text, '' order by n)) as sum from big"
  const compareTable = (what: string, expected: unknown) =>
    compareData(what, async () => assert.deepEqual(await sql(externalUrl, checksum), expected))
  const dumped = await sql(externalUrl, checksum)
  await sql(externalUrl, 'delete from big where n > 10')
  const input = { backupId, runId: runs[0]!.runId, postgresId: database.postgresId, confirm: database.appName }
  const reduced = await sql(externalUrl, checksum)
  const { fault, safetyRunId } = await runAndKillAt('restore', input, { job: 'load', trigger: 'manual', step: 'load' })
  assert.equal(fault?.reason, 'LoadInterrupted')
  await compareTable('the interrupted load changed something', reduced)
  await sql(externalUrl, 'delete from big')
  const { body: restore } = await berth.call<Run>('backup.restore', { ...input, runId: safetyRunId })
  assert.equal((await waitForEnd(restore.runId)).status, 'done')
  await compareTable('the restored safety dump', reduced)
  await runAndKillAt('restore', input, { job: 'read', trigger: 'safety', step: 'check' })
  await compareTable('the restored dump', dumped)
})
