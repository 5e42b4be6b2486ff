/**
 * Dumps, drills and restores of databases with pg_cron, which works in one database only, and with a stand-in for
 * TimescaleDB, which has to be told of a restore. extensions.long.ts has other extensions.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { until } from '../engine/until.ts'
import { compareData } from '../fixtures/compare-data.ts'
import type { RunAnswer } from './backup-suite.ts'
import { type BackupFixture, openBackupFixture, wait } from './backup-fixture.ts'
import { extensionImage } from './extension-image.ts'
import { representative } from './representative.ts'
import { sql } from './swarm.ts'

/** Before version 1.6.1, PostgreSQL does not start the scheduler of pg_cron again. Debian 12 has such a version. */
const cases = [
  { version: '17', reasonCode: null },
  { version: '15', reasonCode: 'RestartNeeded' },
]

const schema = `
  create extension pg_cron;
  create schema hyper;
  create extension timescaledb with schema hyper;
  create table log (at timestamptz, place text);
  select cron.schedule('each minute', '* * * * *', 'insert into public.log values (now(), current_database())');
  select cron.schedule('never', '0 0 30 2 *', 'select 1');
  create view job as select jobid, jobname, database, active from cron.job;
  grant usage on schema cron to public;
  insert into _timescaledb_catalog.hypertable values (1, 'chunk');
  create table chunk (id int);
  insert into chunk select * from generate_series(1, 100);
  create trigger chunk before insert on chunk for each row execute function _timescaledb_catalog.check_row();
`
const jobs = [
  { jobid: '1', jobname: 'each minute', database: 'shop', active: true },
  { jobid: '2', jobname: 'never', database: 'shop', active: true },
]

let runtime: BackupFixture
before(async () => {
  runtime = await openBackupFixture(1)
})
after(() => runtime[Symbol.asyncDispose]())

/** Asserts that the database has what the schema created, that no trace of a load is left, and that it schedules jobs. */
async function compareRestored(url: string) {
  await compareData('the jobs', async () => assert.deepEqual(await sql(url, 'select * from job order by jobid'), jobs))
  await compareData('the rows of the stand-in', async () =>
    assert.deepEqual(
      await sql(url, 'select (select count(*)::int from chunk), * from _timescaledb_catalog.hypertable'),
      [{ count: 100, id: 1, name: 'chunk' }],
    ),
  )
  const traces = `select evtname from pg_event_trigger union all select nspname from pg_namespace where nspname ~ '^berth'
    union all select unnest(setconfig) from pg_db_role_setting where setrole = 0
    union all select datname from pg_database where datname ~ '^berth'`
  assert.deepEqual(await sql(url, traces), [])
}

/** Waits until the scheduler of pg_cron works in the database. */
const waitForScheduler = (url: string) =>
  until('the scheduler', async () => {
    const scheduler = `select from pg_stat_activity where backend_type = 'pg_cron launcher' and datname = current_database()`
    return (await sql(url, scheduler).catch(() => [])).length === 1
  })

describe('extensions', { concurrency: 1 }, () => {
  for (const { version, reasonCode } of representative(cases)) {
    test(`a database of PostgreSQL ${version} with pg_cron and TimescaleDB can be restored everywhere`, async () => {
      const { berth, databaseClients } = runtime
      const database = await databaseClients.deployed({
        dockerImage: await extensionImage(version, 'cron', ['cron']),
        command: '-c shared_preload_libraries=pg_cron -c cron.database_name=shop',
      })
      const url = await databaseClients.urlOf(database)
      await sql(url, schema)
      const into = { postgresId: database.postgresId, confirm: database.appName }
      const backupId = await runtime.create(`cron-${version}`, { postgresId: database.postgresId })
      const { runId } = await runtime.backUp(backupId, `cron-${version}`)

      const drill = await berth.call<RunAnswer>('backup.verify', { backupId, runId }, undefined, wait)
      assert.deepEqual([drill.status, drill.body.message], [200, undefined])

      await sql(url, 'drop table chunk; select cron.unschedule(1)')
      const inPlace = await runtime.restore({ backupId, runId, ...into })
      assert.deepEqual([inPlace.status, inPlace.body.message, inPlace.body.reasonCode], [200, undefined, reasonCode])
      await compareRestored(url)
      if (reasonCode !== null) await databaseClients.done('reload', database, { appName: database.appName })
      await waitForScheduler(url)

      const restored = await berth.call<RunAnswer>(
        'backup.restore',
        { runId, appName: `${String(database.appName)}-copy` },
        undefined,
        wait,
      )
      assert.deepEqual([restored.status, restored.body.message], [200, undefined])
      const copy = await databaseClients.one({ postgresId: restored.body.databaseId })
      await databaseClients.clear(copy)
      await databaseClients.clear(database)
    })
  }
})
