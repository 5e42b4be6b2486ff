/** A Berth on the swarm with one PostgreSQL database and a storage, and calls that back up and restore the database. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { kindNamed } from '../../src/kinds/index.ts'
import { compareData } from '../fixtures/compare-data.ts'
import type { Options } from '../fixtures/harness.ts'
import { until } from '../engine/until.ts'
import { restingSchedule } from '../fixtures/resting-schedule.ts'
import type { RunAnswer } from './backup-suite.ts'
import { clients } from './clients.ts'
import { type Fields, databaseClientsOn } from './database-clients.ts'
import { startStorage } from './storage.ts'
import { docker, onSwarm, sql } from './swarm.ts'

export const wait = { prefer: 'wait=120' }

export type BackupFixture = Awaited<ReturnType<typeof openBackupFixture>>

/**
 * @param rows the number of rows in the table `big`; each has 1 KiB of text
 * @param address the address of the storage; 127.0.0.1 by default, which no container reaches
 */
export async function openBackupFixture(
  rows: number,
  options: Options & { ownDataFolder?: string } = {},
  address = '127.0.0.1',
) {
  const kind = kindNamed('postgres')
  await using opened = new AsyncDisposableStack()
  const storage = opened.use(await startStorage({ address }))
  const berth = opened.use(await onSwarm(options))
  storage.makeBucket('backups')
  const databaseClients = databaseClientsOn(berth, kind, clients[kind.name]!)
  const database = await databaseClients.deployed()
  const url = await databaseClients.urlOf(database)
  await fill(url, rows)
  const destinationId = await destination()
  // The caller closes everything. If an earlier line throws, `await using` closes what is open.
  const resources = opened.move()
  return {
    berth,
    storage,
    databaseClients,
    database,
    url,
    destinationId,
    destination,
    createDatabase,
    create,
    run,
    runsOf,
    restore,
    filesUnder,
    jobsOf,
    backUp,
    beginRun,
    waitForEnd,
    count,
    compareCount,
    waitForCleanUp,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }

  async function fill(databaseUrl: string, count: number): Promise<void> {
    await sql(
      databaseUrl,
      `create table big as select n, (select string_agg(md5(random()::text || n || m), '')
      from generate_series(1, 32) m) as text from generate_series(1, ${count}) n`,
    )
  }

  /** Creates another database on the same server, with `count` rows in its table `big`. Returns its URL. */
  async function createDatabase(name: string, count: number): Promise<string> {
    await sql(url, `create database ${name}`)
    const databaseUrl = Object.assign(new URL(url), { pathname: `/${name}` }).href
    await fill(databaseUrl, count)
    return databaseUrl
  }

  async function destination(more: Fields = {}): Promise<string> {
    const { body } = await berth.call<{ destinationId: string }>('destination.create', {
      name: 'storage',
      ...storage.settings('backups'),
      ...more,
    })
    return body.destinationId
  }

  async function create(prefix: string, more: Fields = {}): Promise<string> {
    const { status, body } = await berth.call<{ backupId: string; message: string }>('backup.create', {
      schedule: restingSchedule,
      prefix,
      destinationId,
      database: 'shop',
      databaseType: kind.name,
      postgresId: database.postgresId,
      ...more,
    })
    assert.equal(status, 200, body.message)
    return body.backupId
  }

  function run(backupId: string, headers: Record<string, string> = wait) {
    return berth.call<RunAnswer>('backup.manualBackupPostgres', { backupId }, undefined, headers)
  }

  async function runsOf(backupId: string): Promise<RunAnswer[]> {
    return (await berth.call<RunAnswer[]>('backup.runs', { backupId })).body
  }

  /** Restores into the fixture's service, unless `input` names another. */
  function restore(input: Fields) {
    const into = { postgresId: database.postgresId, confirm: database.appName }
    return berth.call<RunAnswer>('backup.restore', { ...into, ...input }, undefined, wait)
  }

  /** Returns the file names of the objects under a prefix. The storage keeps the parts of uploads under other names. */
  function filesUnder(prefix: string): string[] {
    return readdirSync(storage.filesOf('backups'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && `${entry.parentPath}/`.includes(`/${prefix}/`))
      .map(({ name }) => name)
  }

  /** Returns the ids of this Berth's running job containers whose name begins with `berth-` and `prefix`. */
  function jobsOf(prefix: string): Promise<string[]> {
    const ownLabel = `label=berth.installation=${berth.installationId}`
    return docker('ps', '--quiet', '--filter', `name=berth-${prefix}`, '--filter', ownLabel)
  }

  /** Runs a backup. Asserts that it succeeds and that its dump and manifest are in the bucket. */
  async function backUp(backupId: string, prefix: string): Promise<RunAnswer> {
    const { status, body } = await run(backupId)
    assert.deepEqual([status, body.message, body.status, body.reason], [200, undefined, 'done', null])
    const name = body.key.split('/').at(-1)!
    assert.deepEqual(
      filesUnder(prefix)
        .filter((file) => file.startsWith(name))
        .toSorted(),
      [name, `${name}.json`],
    )
    return body
  }

  /** Starts a backup, waits until its dump program runs, and returns the run's id. */
  async function beginRun(backupId: string): Promise<string> {
    const { body } = await run(backupId, {})
    await until('the dump program to run', async () => (await jobsOf(`dump-${body.runId}`)).length > 0)
    return body.runId
  }

  function waitForEnd(backupId: string, runId: string): Promise<RunAnswer> {
    return until(
      'the run to end',
      async () => (await runsOf(backupId)).find((run) => run.runId === runId && run.status !== 'running') ?? null,
      120_000,
    )
  }

  /** Waits until the objects and uploads of a failed run are deleted, which happens after its end. */
  function waitForCleanUp(backupId: string, runId: string, timeoutMs?: number): Promise<true> {
    return until(
      'the objects of the failed run to be deleted',
      async () => (await runsOf(backupId)).some((run) => run.runId === runId && run.key === null),
      timeoutMs,
    ) as Promise<true>
  }

  /** Returns the number of rows in the table `big`. */
  async function count(databaseUrl = url): Promise<number> {
    return Number((await sql(databaseUrl, 'select count(*)::int as count from big'))[0]!.count)
  }

  /** Asserts that the table `big` has this number of rows. */
  async function compareCount(expected: number, databaseUrl = url): Promise<void> {
    await compareData('the rows of the table', async () => assert.equal(await count(databaseUrl), expected))
  }
}
