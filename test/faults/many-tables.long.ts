/**
 * Databases of 12,000 tables, one schema for each tenant: the reason when PostgreSQL lacks room for the locks, then a dump, a
 * drill, a restore in place, the manifest and the memory of Berth, which is a process of its own. Prints figures.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, type TestContext, test } from 'node:test'
import { createConnection } from 'mysql2/promise'
import { kindNamed } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { clients } from '../e2e/clients.ts'
import { databaseClientsOn } from '../e2e/database-clients.ts'
import { type BerthProcess, berthProcess, inProject } from '../e2e/process.ts'
import { type Storage, startStorage } from '../e2e/storage.ts'
import { type Fields, docker, removeAll, sql } from '../e2e/swarm.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import { restingSchedule } from '../fixtures/resting-schedule.ts'

const tables = 12_000
const inOneTransaction = 1000
const maxMemoryKiB = 64 * 1024
const maxRunMs = 30 * 60_000

interface Run extends Fields {
  runId: string
  status: string
  reason: string | null
  fault: { reason: string; remedy?: string } | null
  verification: string | null
  rowCount: number
}

let storage: Storage
before(async () => {
  storage = await startStorage()
  storage.makeBucket('backups')
})
after(() => storage[Symbol.asyncDispose]())

async function openBerth(t: TestContext): Promise<{ berth: BerthProcess; projectId: string; destinationId: string }> {
  const berth = await berthProcess(temporaryFolder(t))
  t.after(() => berth.kill())
  await berth.start()
  await berth.signIn()
  const { body: project } = await berth.call<{ projectId: string }>('project.create', { name: 'tables' })
  const settings = storage.settings('backups')
  const { body } = await berth.call<{ destinationId: string }>('destination.create', { name: 'storage', ...settings })
  return { berth, projectId: project.projectId, destinationId: body.destinationId }
}

/** The resident memory of a process in KiB: the present one, or the most so far. */
const memoryOf = (pid: number, field: 'VmRSS' | 'VmHWM') =>
  Number(new RegExp(`^${field}:\\s*(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1])

async function fillPostgres(url: string): Promise<void> {
  for (let first = 0; first < tables; first += inOneTransaction) {
    await sql(
      url,
      `do $$ begin for i in ${first}..${first + inOneTransaction - 1} loop
        execute format('create schema s%s; create table s%1$s.t (id serial primary key); insert into s%1$s.t default values', i);
      end loop; end $$`,
    )
  }
}

async function fillMysql(uri: string): Promise<void> {
  const connection = await createConnection({ uri, multipleStatements: true })
  try {
    for (let first = 0; first < tables; first += 100) {
      const numbers = Array.from({ length: 100 }, (_, at) => first + at)
      await connection.query(numbers.map((at) => `create table t${at} (id int primary key) select 1 as id`).join(';'))
    }
  } finally {
    await connection.end()
  }
}

async function findEnded(berth: BerthProcess, runId: string): Promise<Run | null> {
  const { body } = await berth.call<Run[]>('backup.runs', {})
  return body.find((run) => run.runId === runId && !['running', 'waiting'].includes(run.status)) ?? null
}

interface Case {
  kind: string
  fill(url: string): Promise<void>
  /** Arguments without which the dump fails. */
  command: string | null
}
const cases: Case[] = [
  { kind: 'postgres', fill: fillPostgres, command: '-c max_locks_per_transaction=512' },
  { kind: 'mysql', fill: fillMysql, command: null },
]

for (const { kind: name, fill, command } of cases) {
  test(`${name}: a database of ${tables} tables is dumped, verified and restored in bounded memory`, async (t) => {
    const { berth, projectId, destinationId } = await openBerth(t)
    const kind = kindNamed(name)
    const databaseClients = databaseClientsOn(inProject(berth, projectId), kind, clients[name]!)
    const database = await databaseClients.deployed()
    const format = '{{index .Spec.Labels "berth.installation"}}'
    const installationId = (await docker('service', 'inspect', database.appName, '--format', format))[0]!
    t.after(() => removeAll(installationId))
    await fill(await databaseClients.urlOf(database))
    const idle = memoryOf(berth.pid(), 'VmRSS')
    const { body: backup } = await berth.call<{ backupId: string }>('backup.create', {
      schedule: restingSchedule,
      verifySchedule: '0 4 1 1 *',
      prefix: name,
      destinationId,
      database: 'shop',
      databaseType: name,
      [kind.idField]: database[kind.idField],
    })
    const manual = `manualBackup${{ postgres: 'Postgres', mysql: 'MySql' }[name]}`
    const run = async (operation: string, input: Fields): Promise<Run> => {
      const startedAt = performance.now()
      const { status, body } = await berth.call<Run>(`backup.${operation}`, input)
      assert.equal(status, 200, JSON.stringify(body))
      const ended = await until('the end of the run', () => findEnded(berth, body.runId), maxRunMs)
      const seconds = Math.round((performance.now() - startedAt) / 1000)
      t.diagnostic(`${name} ${operation}: ${ended.status} after ${seconds} s`)
      return ended
    }
    if (command !== null) {
      const refused = await run(manual, { backupId: backup.backupId })
      assert.equal(refused.status, 'error')
      assert.match(refused.reason!, /max_locks_per_transaction/)
      t.diagnostic(refused.reason!)
      await databaseClients.call('update', database, { command })
      await databaseClients.done('deploy', database)
    }
    const dump = await run(manual, { backupId: backup.backupId })
    assert.deepEqual([dump.status, dump.reason], ['done', null])
    const drill = await run('verify', { backupId: backup.backupId })
    assert.deepEqual([drill.status, drill.verification, drill.reason], ['done', 'verified', null])
    const target = { [kind.idField]: database[kind.idField], confirm: database.appName }
    const restored = await run('restore', { runId: dump.runId, ...target, skipSafetyDump: true })
    assert.deepEqual([restored.status, restored.reason], ['done', null])
    const startedAt = performance.now()
    const { status, body } = await berth.call<{ tables: Fields[] }>('backup.manifest', { runId: dump.runId })
    assert.equal(status, 200)
    const milliseconds = Math.round(performance.now() - startedAt)
    t.diagnostic(`${name} manifest: ${JSON.stringify(body).length} bytes after ${milliseconds} ms`)
    const more = memoryOf(berth.pid(), 'VmHWM') - idle
    t.diagnostic(
      `${name}: Berth needed at most ${Math.round(more / 1024)} MiB more than the idle ${Math.round(idle / 1024)}`,
    )
    assert.ok(more <= maxMemoryKiB, `${more} KiB more than idle`)
  })
}
