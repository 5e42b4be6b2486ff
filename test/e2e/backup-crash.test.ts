/**
 * Berth is killed (-9) while a dump is made, while it is read back, and while it is restored. Started again it goes on:
 * the run comes to a good end, one object of it lies in the bucket, and no container or upload is left. A load alone is
 * never begun again. That a run was not done yet is read from the store, between the kill and the start.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openBucket } from '../../src/lib/s3/s3.ts'
import { rowsOf } from '../crash/store.ts'
import { until } from '../engine/until.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import { type BerthProcess, berthProcess } from './process.ts'
import { type Storage, startStorage } from './storage.ts'
import { docker, freePort, removeAll, type Service, sql } from './swarm.ts'

interface Run {
  runId: string
  trigger: string
  status: string
  step: string | null
  reason: string | null
  key: string | null
  safetyRunId: string | null
  fault: { reason: string; isAtomic: boolean } | null
}

/** Where a run is to be when Berth is killed: the kind of job that is at work for it, and what the store says. */
interface Moment {
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

/** Those that run; the name begins so. */
const jobsOf = (name: string, ...more: string[]) => docker('ps', '--quiet', '--filter', `name=${name}`, ...more)

/** The runs that are open, as the store has them. */
const openRuns = (folder: string) =>
  rowsOf<{ id: string; trigger: string; step: string }>(
    folder,
    `select "id", "trigger", "step" from "backupRun" where "status" = 'running'`,
  )

/** Looks at the store first: it is quick, and what it says of a run is true before its job is there. */
async function isAt(folder: string, { job, trigger, step }: Moment): Promise<boolean> {
  const run = openRuns(folder).find((it) => it.trigger === trigger && it.step === step)
  return run !== undefined && (await jobsOf(`berth-${job}-${run.id}`)).length > 0
}

/** Asks more often than `until`: what is waited for may be over in half a second. */
async function untilAt(folder: string, moment: Moment): Promise<void> {
  const end = Date.now() + 120_000
  while (!(await isAt(folder, moment))) {
    assert.ok(Date.now() < end, `no ${moment.trigger} ${moment.job} was seen`)
    await pause(10)
  }
}

async function withDatabase(berth: BerthProcess) {
  const { body: project } = await berth.call<{ projectId: string }>('project.create', { name: 'crash' })
  const { body: made } = await berth.call<Service>('postgres.create', {
    name: 'db',
    appName: `backup-crash-${process.pid}`,
    projectId: project.projectId,
    databaseName: 'shop',
    databaseUser: 'shop',
    databasePassword: 'a password of the shop',
  })
  await berth.call('postgres.saveExternalPort', { postgresId: made.postgresId, externalPort: await freePort() })
  const { status } = await berth.call('postgres.deploy', { postgresId: made.postgresId }, { prefer: 'wait=120' })
  assert.equal(status, 200)
  const { body } = await berth.call<Service>('postgres.one', { postgresId: made.postgresId })
  const text = "select string_agg(md5(random()::text || n || m), '') from generate_series(1, 32) m"
  await sql(
    body.connection.externalUrl,
    `create table big as select n, (${text}) as text from generate_series(1, 24000) n`,
  )
  return body
}

test('Berth is killed in the middle of a dump, of its check and of a restore', async (t) => {
  const folder = temporaryFolder(t)
  const berth = await berthProcess(folder)
  t.after(() => berth.kill())
  await berth.start()
  await berth.signIn()
  const database = await withDatabase(berth)
  const format = '{{index .Spec.Labels "berth.installation"}}'
  const installationId = (await docker('service', 'inspect', database.appName, '--format', format))[0]!
  t.after(() => removeAll(installationId))
  const { body: destination } = await berth.call<{ destinationId: string }>('destination.create', {
    name: 'storage',
    ...storage.settings('backups'),
  })
  const { body: backup } = await berth.call<{ backupId: string }>('backup.create', {
    schedule: '0 3 * * *',
    prefix: 'crash',
    destinationId: destination.destinationId,
    database: 'shop',
    databaseType: 'postgres',
    postgresId: database.postgresId,
  })
  const ended = (runId: string) =>
    until(
      'the end',
      async () => {
        const { body } = await berth.call<Run[]>('backup.runs', { backupId: backup.backupId })
        return body.find((run) => run.runId === runId && run.status !== 'running') ?? null
      },
      120_000,
    )
  const killedWhile = async (name: string, input: Record<string, unknown>, moment: Moment) => {
    const { status, body } = await berth.call<Run>(`backup.${name}`, input)
    assert.equal(status, 200, JSON.stringify(body))
    await untilAt(folder, moment)
    await berth.kill()
    const { trigger, step } = moment
    assert.ok(
      openRuns(folder).some((it) => it.trigger === trigger && it.step === step),
      `killed after its ${step}`,
    )
    await berth.start()
    const run = await ended(body.runId)
    if (moment.job === 'load') assert.equal(run.status, 'error')
    else assert.deepEqual([run.status, run.reason], ['done', null])
    await until('its containers to go', async () => (await jobsOf(body.runId, '--all')).length === 0)
    return run
  }
  using bucket = openBucket(storage.settings('backups'))
  const { backupId } = backup
  const runs = [
    await killedWhile('manualBackupPostgres', { backupId }, { job: 'dump', trigger: 'manual', step: 'dump' }),
    await killedWhile('manualBackupPostgres', { backupId }, { job: 'read', trigger: 'manual', step: 'check' }),
  ]
  const { objects } = await bucket.list('crash/', 100, null, AbortSignal.timeout(10_000))
  const wantedKeys = runs.flatMap(({ key }) => [key!, `${key}.json`])
  assert.deepEqual(objects.map(({ key }) => key).toSorted(), wantedKeys.toSorted())
  assert.deepEqual(await bucket.listUploads('crash/', AbortSignal.timeout(10_000)), [])

  const { externalUrl } = database.connection
  const sum = "select count(*)::int as count, md5(string_agg(text, '' order by n)) as sum from big"
  const wanted = await sql(externalUrl, sum)
  await sql(externalUrl, 'delete from big where n > 10')
  const back = { backupId, runId: runs[0]!.runId, postgresId: database.postgresId, confirm: database.appName }
  const held = await sql(externalUrl, sum)
  const { fault, safetyRunId } = await killedWhile('restore', back, { job: 'load', trigger: 'manual', step: 'load' })
  assert.deepEqual([fault?.reason, fault?.isAtomic], ['LoadInterrupted', true])
  assert.deepEqual(await sql(externalUrl, sum), held, 'as it was before')
  await sql(externalUrl, 'delete from big')
  const { body: again } = await berth.call<Run>('backup.restore', { ...back, runId: safetyRunId })
  assert.equal((await ended(again.runId)).status, 'done')
  assert.deepEqual(await sql(externalUrl, sum), held)
  await killedWhile('restore', back, { job: 'read', trigger: 'safety', step: 'check' })
  assert.deepEqual(await sql(externalUrl, sum), wanted)
})
