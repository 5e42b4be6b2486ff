/** A Berth on the swarm with one database and a storage, and the calls about backups of the one into the other. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { kindNamed } from '../../src/kinds/index.ts'
import type { Options } from '../fixtures/harness.ts'
import { until } from '../engine/until.ts'
import type { RunAnswer } from './backup-suite.ts'
import { clients } from './clients.ts'
import { type Fields, databaseClientsOn } from './database-clients.ts'
import { startStorage } from './storage.ts'
import { docker, onSwarm, sql } from './swarm.ts'

export const wait = { prefer: 'wait=120' }

export type BackupFixture = Awaited<ReturnType<typeof openBackupFixture>>

/** `rows` of a KiB each, in the table big. */
export async function openBackupFixture(rows: number, options: Options = {}) {
  const kind = kindNamed('postgres')
  await using opened = new AsyncDisposableStack()
  const storage = opened.use(await startStorage())
  const berth = opened.use(await onSwarm(options))
  storage.makeBucket('backups')
  const databaseClients = databaseClientsOn(berth, kind, clients[kind.name]!)
  const database = await databaseClients.deployed()
  const url = await databaseClients.urlOf(database)
  await fill(url, rows)
  const destinationId = await destination()
  // From here on it is the caller's to close; what fails before is closed at once.
  const end = opened.move()
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
    waitForCleanUp,
    [Symbol.asyncDispose]: () => end.disposeAsync(),
  }

  async function fill(at: string, count: number): Promise<void> {
    await sql(
      at,
      `create table big as select n, (select string_agg(md5(random()::text || n || m), '')
      from generate_series(1, 32) m) as text from generate_series(1, ${count}) n`,
    )
  }

  /** Another database in the same server, with so many rows in its table big; gives its URL. */
  async function createDatabase(name: string, count: number): Promise<string> {
    await sql(url, `create database ${name}`)
    const at = Object.assign(new URL(url), { pathname: `/${name}` }).href
    await fill(at, count)
    return at
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
      schedule: '0 3 * * *',
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

  /** Into the service itself, unless `more` says another. */
  function restore(input: Fields) {
    const into = { postgresId: database.postgresId, confirm: database.appName }
    return berth.call<RunAnswer>('backup.restore', { ...into, ...input }, undefined, wait)
  }

  /** Objects that lie in the bucket, whole or not; the storage keeps parts of uploads elsewhere in it. */
  function filesUnder(prefix: string): string[] {
    return readdirSync(storage.filesOf('backups'), { recursive: true, withFileTypes: true })
      .filter((it) => it.isFile() && `${it.parentPath}/`.includes(`/${prefix}/`))
      .map(({ name }) => name)
  }

  function jobsOf(what: string): Promise<string[]> {
    const own = `label=berth.installation=${berth.installationId}`
    return docker('ps', '--quiet', '--filter', `name=berth-${what}`, '--filter', own)
  }

  async function backUp(backupId: string, prefix: string): Promise<RunAnswer> {
    const { status, body } = await run(backupId)
    assert.deepEqual([status, body.message, body.status, body.reason], [200, undefined, 'done', null])
    const name = body.key.split('/').at(-1)!
    assert.deepEqual(
      filesUnder(prefix)
        .filter((it) => it.startsWith(name))
        .toSorted(),
      [name, `${name}.json`],
    )
    return body
  }

  /** A run whose tool is at work. */
  async function beginRun(backupId: string): Promise<string> {
    const { body } = await run(backupId, {})
    await until('the tool', async () => (await jobsOf(`dump-${body.runId}`)).length > 0)
    return body.runId
  }

  function waitForEnd(backupId: string, runId: string): Promise<RunAnswer> {
    return until(
      'the end',
      async () => (await runsOf(backupId)).find((it) => it.runId === runId && it.status !== 'running') ?? null,
      120_000,
    )
  }

  /** What a failed run has sent is deleted after its end. */
  function waitForCleanUp(backupId: string, runId: string, boundMs?: number): Promise<true> {
    return until(
      'what it has sent to be deleted',
      async () => (await runsOf(backupId)).some((it) => it.runId === runId && it.key === null),
      boundMs,
    ) as Promise<true>
  }

  async function count(at = url): Promise<number> {
    return Number((await sql(at, 'select count(*)::int as it from big'))[0]!.it)
  }
}
