/**
 * Drills that must fail: the contents differ from the dumped contents, or the disk of the scratch server is full. Also
 * a restore into another service, which leaves the dumped service unchanged.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Manifest } from '../../src/dumps/manifest.ts'
import { openBucket } from '../../src/lib/s3/s3.ts'
import { until } from '../engine/until.ts'
import { compareData } from '../fixtures/compare-data.ts'
import { freePort } from '../fixtures/free-port.ts'
import type { RunAnswer } from './backup-suite.ts'
import { type BackupFixture, openBackupFixture, wait } from './backup-fixture.ts'
import { buildImage, docker, sql } from './swarm.ts'

const rows = 24_000
/**
 * An image whose server stores its data in /dev, for which Docker makes a tmpfs of 64 MiB. About 17 MiB are free after
 * the server started.
 */
const smallDiskImage = `berth-test-tight-${process.pid}`
const dockerfile = (image: string) => `FROM ${image}
RUN printf '#!/bin/sh\\nPGDATA=/dev/data exec docker-entrypoint.sh "$@"\\n' >/tight && chmod 755 /tight
ENTRYPOINT ["/tight"]
CMD ["postgres"]
`

let runtime: BackupFixture
let backupId: string
let dumpRun: RunAnswer
before(async () => {
  runtime = await openBackupFixture(rows)
  backupId = await runtime.create('drilled')
  dumpRun = await runtime.backUp(backupId, 'drilled')
})
after(() => runtime[Symbol.asyncDispose]())

const verify = () => runtime.berth.call<RunAnswer>('backup.verify', { backupId, runId: dumpRun.runId }, undefined, wait)

/**
 * Changes the manifest in the storage, and with 'both' also Berth's copy in the store, for the duration of `work`.
 * Restores both afterwards.
 */
async function withManifest(
  change: (manifest: Manifest) => void,
  places: 'both' | 'storage',
  work: () => Promise<void>,
) {
  const { db, transact } = runtime.berth.app
  using bucket = openBucket(runtime.storage.settings('backups'))
  const row = await db
    .selectFrom('backupRun')
    .select('manifest')
    .where('id', '=', dumpRun.runId)
    .executeTakeFirstOrThrow()
  const put = async (manifest: string) => {
    await bucket.put(`${dumpRun.key}.json`, Buffer.from(manifest))
    if (places === 'storage') return
    await transact((tx) => tx.updateTable('backupRun').set({ manifest }).where('id', '=', dumpRun.runId).execute())
  }
  const changed = JSON.parse(row.manifest!) as Manifest
  change(changed)
  await put(JSON.stringify(changed))
  await work().finally(() => put(row.manifest!))
}

/** Runs a drill. Asserts that the call and the run report the failure, and that the dump does not count as verified. */
async function assertDrillFails(messagePattern: RegExp) {
  const { status, body } = await verify()
  assert.equal(status, 422)
  assert.match(body.message!, messagePattern)
  const runs = await runtime.runsOf(backupId)
  assert.deepEqual([runs.at(-1)!.action, runs.at(-1)!.status, runs.at(-1)!.reason], ['verify', 'error', body.message])
  assert.equal(runs.find(({ runId }) => runId === dumpRun.runId)!.verifiedAt, null)
  await until(
    'the containers of the drill to be removed',
    async () => (await docker('ps', '--all', '--quiet', '--filter', `name=${runs.at(-1)!.runId}`)).length === 0,
  )
}

describe('drills', { concurrency: 1 }, () => {
  test('a drill names tables whose row count differs from the manifest', () =>
    withManifest(
      ({ contents: { tables } }) => {
        tables['public.big']!.rows--
        tables['public.gone'] = { rows: 3, checksum: '' }
      },
      'both',
      () =>
        assertDrillFails(
          /Table public\.big has 24000 rows instead of 23999\. Table public\.gone with 3 rows is missing/,
        ),
    ))

  test('a drill detects a manifest that was changed in the storage, and names the difference', () =>
    withManifest(
      ({ contents: { tables } }) => {
        tables['public.big']!.rows--
      },
      'storage',
      () =>
        assertDrillFails(/manifest in the storage differs from the uploaded one\. Table public\.big has 23999 rows/),
    ))

  test('a drill reports a full disk of its scratch server and removes its containers', async (t) => {
    await buildImage(smallDiskImage, dockerfile(runtime.databaseClients.client.images[0]!))
    t.after(() => docker('image', 'rm', smallDiskImage))
    await withManifest(
      (manifest) => {
        manifest.image = smallDiskImage
      },
      'both',
      () => assertDrillFails(/No space left on device/),
    )
  })

  test('a drill names the function and the column that a restore cannot compute, and the remedy', async () => {
    await sql(
      runtime.url,
      `create function lowered(t text) returns text language plpgsql immutable as 'begin return lower(t); end';
      create function slug(t text) returns text language plpgsql immutable as 'begin return lowered(t); end';
      create table page (name text, slug text generated always as (slug(name)) stored);
      insert into page values ('A'), ('A')`,
    )
    await assert.rejects(sql(runtime.url, 'create unique index concurrently half_built on page (name)'))
    const dumped = await runtime.backUp(backupId, 'drilled')
    assert.deepEqual(
      (dumped.findings as Record<string, unknown>[]).map(({ reason, name, isLeftOut }) => [reason, name, isLeftOut]),
      [['IndexInvalid', 'public.half_built', true]],
    )
    const { body } = await runtime.berth.call<RunAnswer>(
      'backup.verify',
      { backupId, runId: dumped.runId },
      undefined,
      wait,
    )
    assert.match(
      body.message!,
      /slug\(text\), which the column public\.page\.slug needs, .* ALTER FUNCTION public\.slug\(text\) SET search_path = public/,
    )
    const dump = (await runtime.runsOf(backupId)).find(({ runId }) => runId === dumped.runId)!
    assert.deepEqual([dump.verification, dump.verifiedAt], ['failed', null])
    await sql(runtime.url, 'drop table page; drop function slug(text); drop function lowered(text)')
  })

  test('a drill verifies the dump after the failed drills', async () => {
    const { status, body } = await verify()
    assert.deepEqual([status, body.message], [200, undefined])
    const run = (await runtime.runsOf(backupId)).find(({ runId }) => runId === dumpRun.runId)!
    assert.match(String(run.verifiedAt), /^\d{4}-/)
    assert.equal(run.verification, 'verified')
  })

  test('a restore into another service leaves the dumped service unchanged and can be undone', async () => {
    const other = await runtime.databaseClients.deployed()
    const url = await runtime.databaseClients.urlOf(other)
    await sql(url, 'create table big as select 7 as n')
    await sql(runtime.url, 'delete from big where n > 10')
    const into = { postgresId: other.postgresId, confirm: other.appName }
    assert.equal(
      (await runtime.restore({ backupId, runId: dumpRun.runId, ...into, confirm: runtime.database.appName })).status,
      400,
      'the name of the dumped service does not confirm it',
    )
    const { status, body } = await runtime.restore({ backupId, runId: dumpRun.runId, ...into })
    assert.deepEqual([status, body.message, body.databaseId], [200, undefined, other.postgresId])
    await runtime.compareCount(rows, url)
    await runtime.compareCount(10)
    const undo = await runtime.restore({ backupId, runId: body.safetyRunId, ...into })
    assert.equal(undo.status, 200)
    await compareData('the undone table', async () => assert.deepEqual(await sql(url, 'select * from big'), [{ n: 7 }]))
    await runtime.databaseClients.clear(other)
  })

  test('a drill and a new service start like the dumped server', async () => {
    const { databaseClients, berth } = runtime
    const dumped = await databaseClients.deployed({
      // Settings after the first would change a session of a dump or a restore.
      command: "-c app.tenant='from the command' -c array_nulls=off -c transform_null_equals=on -c lock_timeout=1",
      env: 'TZ=Asia/Kolkata',
      memoryLimit: 512,
    })
    await sql(
      await databaseClients.urlOf(dumped),
      `alter database shop set app.region = 'from the database';
      create function settings() returns text language sql
        return current_setting('app.tenant') || ', ' || current_setting('app.region');
      create materialized view kept as select settings() as text;
      create table checked (text text check (text <> settings()));
      insert into checked values ('y');
      alter role all set session_replication_role = replica;
      create table nulls as select array[null, 'a'] as texts`,
    )
    const ofDumped = { postgresId: dumped.postgresId }
    const ownBackup = await runtime.create('profile', ofDumped)
    const { runId } = await runtime.backUp(ownBackup, 'profile')
    const drill = await berth.call<RunAnswer>('backup.verify', { backupId: ownBackup, runId }, undefined, wait)
    assert.deepEqual([drill.status, drill.body.message], [200, undefined])
    const restored = await berth.call<RunAnswer & { notCarriedOver: unknown }>(
      'backup.restore',
      { runId, appName: `${String(dumped.appName)}-copy` },
      undefined,
      wait,
    )
    assert.deepEqual(
      [restored.status, restored.body.message, restored.body.notCarriedOver],
      [200, undefined, [{ field: 'externalPort' }]],
    )
    const copy = await databaseClients.one({ postgresId: restored.body.databaseId })
    assert.deepEqual([copy.command, copy.env, copy.memoryLimit], [dumped.command, dumped.env, 512])
    await databaseClients.call('saveExternalPort', copy, { externalPort: await freePort() })
    const withPort = await databaseClients.done('deploy', copy)
    await compareData('the contents of the copy', async () =>
      assert.deepEqual(
        await sql(
          await databaseClients.urlOf(withPort),
          'select kept.text, settings(), current_setting($$timezone$$), texts from kept, nulls',
        ),
        [
          {
            text: 'from the command, from the database',
            settings: 'from the command, from the database',
            current_setting: 'Asia/Kolkata',
            texts: [null, 'a'],
          },
        ],
      ),
    )
    await databaseClients.clear(copy)
    await databaseClients.clear(dumped)
  })
})
