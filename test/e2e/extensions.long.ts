/**
 * Dumps a database with each extension that Debian has for PostgreSQL, restores it into a temporary server like that of a
 * drill, in place and into a new server, and compares the contents. docs/extensions.md has the results. With WRITE_TABLE=1
 * the test writes them; without, it fails if they differ. `--test-name-pattern` selects extensions.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { postgres } from '../../src/kinds/postgres/postgres.ts'
import { containersOf, type Server } from './container.ts'
import { extensionImage } from './extension-image.ts'
import { extensionPackages, extensionSamples } from './extension-samples.ts'
import { type Row, sampleOf, writeRows } from './sample.ts'
import { sql } from './swarm.ts'
import { type Laboratory, prepareOrigin, resultOf } from './trial.ts'

const version = '17'
const heading = 'PostgreSQL'
const settings = { databaseName: 'shop', databaseUser: 'shop', databasePassword: 'secret' }
const preloaded =
  'timescaledb,pg_cron,pg_stat_statements,pgaudit,pglogical,pg_qualstats,pg_stat_kcache,pg_wait_sampling,set_user,' +
  'pg_squeeze'
const args = [
  ...['-c', `shared_preload_libraries=${preloaded}`, '-c', 'wal_level=logical', '-c', 'max_worker_processes=64'],
  ...['-c', 'fsync=off', '-c', 'cron.database_name=x_pg_cron', '-c', 'timescaledb.telemetry_level=off'],
]
const backup = postgres.backup!
const { startServer, removeAll, urlOf } = containersOf<typeof settings>(postgres, 'berth-test-postgres-extensions')
const rows: Row[] = []
let laboratory: Laboratory

const urlIn = (server: Server, database: string) =>
  Object.assign(new URL(urlOf(server, settings)), { pathname: `/${database}` }).href

/**
 * Also the tables of extensions, whose rows are in a dump only if the extension says so. The tables that are left out have
 * statistics of jobs in the background.
 */
const tableCounts = `select oid::regclass::text as name, (xpath('//count/text()', query_to_xml(
    format('select count(*) from %s', oid::regclass), false, true, '')))[1]::text as count
  from pg_class where relkind in ('r', 'm') and relnamespace::regnamespace::text !~ '^(pg_catalog|pg_toast|information_schema)'
   and relname !~ '^bgw_job_stat'`

before(async () => {
  const image = await extensionImage(version, 'extensions', extensionPackages)
  assert.match(image, /extensions/)
  const start = (...further: string[]) => startServer(version, settings, '--', ...args, ...further)
  const [origin, drill, fresh] = await Promise.all([start(), start(...backup.temporaryServerArgs), start()])
  await prepareOrigin(origin)
  laboratory = {
    backup,
    login: { settings, own: null },
    version,
    origin,
    targets: { drill, 'in place': origin, new: fresh },
    countRows: async (server, database) => {
      const counts = await sql(urlIn(server, database), tableCounts)
      return Object.fromEntries(counts.map(({ name, count }) => [name, count]))
    },
  }
})
after(async () => {
  if (process.env.WRITE_TABLE === '1') writeRows(heading, rows)
  await removeAll()
})

// Restores of several databases of a server at the same time do not disturb each other.
describe('each extension of Debian is restored, or its refusal is documented', { concurrency: 4 }, () => {
  for (const name of Object.keys(extensionSamples)) {
    test(name, { timeout: 10 * 60_000 }, async (t) => {
      const { origin, targets } = laboratory
      const sample = sampleOf(extensionSamples, name)
      const database = `x_${name}`
      const [extension] = name.split(',')
      await sql(urlOf(origin, settings), `create database "${database}"`)
      await sql(urlOf(targets.new, settings), `create database "${database}"`)
      const url = urlIn(origin, database)
      await sql(url, `create extension "${extension}" cascade`)
      if (sample.sql !== '') await sql(url, sample.sql)
      const [{ extversion }] = (await sql(url, 'select extversion from pg_extension where extname = $1', [
        extension,
      ])) as [{ extversion: string }]
      const outcome = await resultOf(laboratory, database)
      for (const server of [origin, targets.new, targets.drill]) {
        await sql(urlOf(server, settings), `drop database if exists "${database}" with (force)`)
      }
      if (outcome.text !== '') t.diagnostic(`${name}: ${outcome.text.slice(0, 2000)}`)
      const result = outcome.result === 'works' ? sample.result : outcome.result
      rows.push({ name, version: extversion, result, remark: sample.remark })
      assert.equal(outcome.result, sample.result === 'created only' ? 'works' : sample.result)
    })
  }

  test('every extension of the image has a sample', async () => {
    const available = await sql(
      urlOf(laboratory.origin, settings),
      `select name from pg_available_extensions where name <> 'plpgsql' and name !~ '-3$'`,
    )
    const names = available.map(({ name }) => String(name)).sort()
    const tried = new Set(Object.keys(extensionSamples).map((name) => name.split(',')[0]))
    assert.deepEqual([...tried].sort(), names)
  })
})
