/**
 * Helpers for tests of restores: a MySQL service on the in-memory engine whose database is a text, a storage in memory,
 * and a backup of the service to that storage.
 */
import type { Outcome } from '../../src/engine/engine.ts'
import type { Exec } from '../../src/engine/exec.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { completeMark } from '../../src/kinds/mysql/archive.ts'
import { until } from '../engine/until.ts'
import { type MemoryBucket, memoryBucket } from './memory-bucket.ts'
import { type Database, type DatabaseClients, databaseClientsOf } from '../fixtures/database-clients.ts'
import { type Input, type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

export const mysql = kindNamed('mysql')

export interface Run extends Input {
  runId: string
  backupId: string | null
  status: string
  step: string | null
  reason: string | null
  attempt: number
  trigger: string
  action: string
  safety: string | null
  safetyRunId: string | null
  key: string | null
  reasonCode: string | null
  fault: { reason: string } | null
  data: string | null
  deploymentId: string | null
}

/**
 * The kinds of jobs: `dump` prints the database, `load` replaces it, `list` prints the names of the server's databases. The
 * others log in, make Berth's own account, and copy accounts.
 */
export type JobKind = 'dump' | 'load' | 'list' | 'ask' | 'own' | 'give' | 'take'

export interface Shop extends AsyncDisposable {
  testBerth: TestBerth
  databaseClients: DatabaseClients
  database: Database
  bucket: MemoryBucket
  /** The content of the database, on the volume of the service; null: the database does not exist. */
  data: { text: string | null }
  /** The setting of the server that a restore changes. While `isFixed`, the server refuses to set it back. */
  setting: { value: number; isFixed: boolean }
  /** Whether the next load loses all rows. */
  loseRows: { next: boolean }
  /** The names of the databases of the server. */
  databases: string[]
  /** The kinds of all jobs so far. */
  jobs: JobKind[]
  /** Each job awaits this before its work; the signal is aborted when the job is killed. */
  before: { do(part: JobKind, signal: AbortSignal): Promise<void> | void }
  /** Creates a backup with this prefix. @returns its id */
  backup(prefix: string, more?: Input): Promise<string>
  /** Creates a destination in the storage. @returns its id */
  destination(name?: string): Promise<string>
  /** Makes a good dump of the backup. @returns its run */
  dump(backupId: string): Promise<Run>
  /** Starts a restore into the service itself. */
  restore(input: Input): Promise<Run>
  run(runId: string): Promise<Run>
  /** Waits until the run meets the condition, and returns it. */
  waitFor(runId: string, isMet: (run: Run) => boolean): Promise<Run>
  /** Waits until the run has ended, and returns it. */
  waitForEnd(runId: string): Promise<Run>
  [Symbol.asyncDispose](): Promise<void>
}

/** The content of the database: one row with this value. */
export const row = (value: number) => `INSERT INTO \`t\` VALUES (${value});\n`

export const usualSetting = 64 * 1024 ** 2
const accepted: Outcome = { exitCode: 0, stdout: '', stderr: '' }

/** The answer of the server to a program that reads or sets its setting; null for other programs. */
export function answerSetting(setting: Shop['setting'], { argv }: Exec): Outcome | null {
  const sql = argv.at(-1) ?? ''
  if (sql === 'select @@global.max_allowed_packet') return { ...accepted, stdout: `${setting.value}\n` }
  const value = /^set global max_allowed_packet = (\d+)$/.exec(sql)?.[1]
  if (value === undefined) return null
  if (setting.isFixed) return { ...accepted, exitCode: 1 }
  setting.value = Number(value)
  return accepted
}

export async function openShop(env: Record<string, string> = {}): Promise<Shop> {
  const bucket = await memoryBucket()
  const testBerth = await startTestBerth(env, { attempts: 1 })
  const databaseClients = databaseClientsOf(testBerth, mysql)
  const database = await databaseClients.createDeployed()
  /** By the names of the volumes. A new volume has an empty database. */
  const contents = new Map<string | undefined, string | null>()
  const volumeOf = (host: string) => testBerth.engine.specOf(host)?.mounts.find(({ type }) => type === 'volume')?.name
  const data: Shop['data'] = {
    get text() {
      return contents.get(volumeOf(database.appName)) ?? null
    },
    set text(text) {
      contents.set(volumeOf(database.appName), text)
    },
  }
  data.text = row(1)
  const databases = ['shop']
  const jobs: JobKind[] = []
  const loseRows = { next: false }
  const setting: Shop['setting'] = { value: usualSetting, isFixed: false }
  testBerth.engine.answer = (_task, program) => answerSetting(setting, program) ?? accepted
  const before: Shop['before'] = { do: () => undefined }
  testBerth.engine.onJob = async ({ name, env }, { stdin, stdout, stderr, signal }) => {
    const part = /^berth-([a-z]+)-/.exec(name)![1] as JobKind
    const volume = volumeOf(env.BERTH_HOST!)
    jobs.push(part)
    await before.do(part, signal)
    if (part === 'dump') {
      const text = contents.has(volume) ? contents.get(volume)! : ''
      if (text === null) {
        stderr.write('ERROR 1049 (42000): Unknown database')
        return 66
      }
      stdout.write(`${text}${completeMark}\n`)
    }
    if (part === 'list') {
      for (const name of databases) stdout.write(`database\t${Buffer.from(name).toString('hex')}\n`)
    }
    if (part === 'take') await stdin!.toArray()
    if (part === 'load') {
      setting.value = 1024 ** 3
      const text = Buffer.concat(await stdin!.toArray()).toString()
      contents.set(volume, loseRows.next ? '' : text.slice(0, -completeMark.length - 1))
      loseRows.next = false
    }
    return 0
  }
  const runOf = async (runId: string) => {
    const row = await testBerth.app.db
      .selectFrom('backupRun')
      .select('databaseId')
      .where('id', '=', runId)
      .executeTakeFirstOrThrow()
    const all = await testBerth.ok<Run[]>('backup.runs', { serviceId: row.databaseId! })
    return all.find((run) => run.runId === runId)!
  }
  const waitFor = (runId: string, isMet: (run: Run) => boolean) =>
    until('the run to meet the condition', async () => {
      const run = await runOf(runId)
      return isMet(run) ? run : null
    })
  const waitForEnd = (runId: string) => waitFor(runId, ({ status }) => status !== 'running')
  const own = { mysqlId: database.mysqlId }
  const destination = async (name = 'bucket') => {
    const { destinationId } = await testBerth.ok<{ destinationId: string }>('destination.create', {
      name,
      accessKey: 'key',
      secretAccessKey: 'a-secret-of-the-storage',
      bucket: 'backups',
      region: '',
      endpoint: bucket.endpoint,
    })
    return destinationId
  }
  return {
    testBerth,
    databaseClients,
    database,
    bucket,
    data,
    setting,
    loseRows,
    databases,
    jobs,
    before,
    run: runOf,
    waitFor,
    waitForEnd,
    destination,
    async backup(prefix, more = {}) {
      const destinationId = more.destinationId ?? (await destination(prefix))
      const { backupId } = await testBerth.ok<{ backupId: string }>('backup.create', {
        schedule: '0 3 1 1 *',
        prefix,
        destinationId,
        database: 'shop',
        databaseType: 'mysql',
        ...own,
        ...more,
      })
      return backupId
    },
    async dump(backupId) {
      const { runId } = await testBerth.ok<Run>('backup.manualBackupMySql', { backupId })
      return waitForEnd(runId)
    },
    restore: (input) => testBerth.ok<Run>('backup.restore', { ...own, confirm: database.appName, ...input }),
    async [Symbol.asyncDispose]() {
      before.do = () => undefined
      await testBerth.close()
      await bucket[Symbol.asyncDispose]()
    },
  }
}

/**
 * Pauses the next jobs of a kind until `resume` is called or they are killed.
 * @returns `begun`, which resolves when the first job is paused, and `resume`
 */
export function pauseJobs(shop: Shop, kind: JobKind) {
  const { promise: begun, resolve: isBegun } = Promise.withResolvers<void>()
  const { promise: resumed, resolve: resume } = Promise.withResolvers<void>()
  shop.before.do = async (part, signal) => {
    if (part !== kind) return
    isBegun()
    const killed = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve())
    })
    await Promise.race([resumed, killed])
    signal.throwIfAborted()
  }
  return { begun, resume }
}
