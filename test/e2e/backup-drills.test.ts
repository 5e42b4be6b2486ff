/**
 * Drills that must not be passed: contents that are not those that were dumped, and a scratch server whose disk is
 * full. And a restore into another service, which leaves the one that was dumped alone.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import type { Manifest } from '../../src/dumps/manifest.ts'
import { openBucket } from '../../src/lib/s3/s3.ts'
import { until } from '../engine/until.ts'
import type { RunAnswer } from './backup-suite.ts'
import { type BackupFixture, openBackupFixture, wait } from './backup-fixture.ts'
import { docker, dockerHost, sql } from './swarm.ts'

const rows = 24_000
/** Its server's data lie in the 64 MiB that a container's /dev/shm has: some 17 are left once it runs. */
const tight = `berth-test-tight-${process.pid}`
const recipe = (image: string) => `FROM ${image}
RUN printf '#!/bin/sh\\nPGDATA=/dev/shm/data exec docker-entrypoint.sh "$@"\\n' >/tight && chmod 755 /tight
ENTRYPOINT ["/tight"]
CMD ["postgres"]
`

let runtime: BackupFixture
let backupId: string
let source: RunAnswer
before(async () => {
  runtime = await openBackupFixture(rows)
  backupId = await runtime.create('drilled')
  source = await runtime.backUp(backupId, 'drilled')
})
after(() => runtime[Symbol.asyncDispose]())

const verify = () => runtime.berth.call<RunAnswer>('backup.verify', { backupId, runId: source.runId }, undefined, wait)

/** What lies beside the dump, and, unless it is only that, what Berth remembers; both are as before at the end. */
async function withManifest(change: (it: Manifest) => void, places: 'both' | 'storage', work: () => Promise<void>) {
  const { db, transact } = runtime.berth.app
  using bucket = openBucket(runtime.storage.settings('backups'))
  const row = await db
    .selectFrom('backupRun')
    .select('manifest')
    .where('id', '=', source.runId)
    .executeTakeFirstOrThrow()
  const put = async (manifest: string) => {
    await bucket.put(`${source.key}.json`, Buffer.from(manifest))
    if (places === 'storage') return
    await transact((tx) => tx.updateTable('backupRun').set({ manifest }).where('id', '=', source.runId).execute())
  }
  const changed = JSON.parse(row.manifest!) as Manifest
  change(changed)
  await put(JSON.stringify(changed))
  await work().finally(() => put(row.manifest!))
}

/** It failed, says so to whoever waits and to whoever looks later, and the dump is not called proven. */
async function fails(reason: RegExp) {
  const { status, body } = await verify()
  assert.equal(status, 422)
  assert.match(body.message!, reason)
  const runs = await runtime.runsOf(backupId)
  assert.deepEqual([runs.at(-1)!.action, runs.at(-1)!.status, runs.at(-1)!.reason], ['verify', 'error', body.message])
  assert.equal(runs.find(({ runId }) => runId === source.runId)!.verifiedAt, null)
  await until(
    'its containers to go',
    async () => (await docker('ps', '--all', '--quiet', '--filter', `name=${runs.at(-1)!.runId}`)).length === 0,
  )
}

describe('drills', { concurrency: 1 }, () => {
  test('a table that holds other rows than were recorded is named', () =>
    withManifest(
      ({ contents: { tables } }) => {
        tables['public.big']!.rows--
        tables['public.gone'] = { rows: 3, checksum: '' }
      },
      'both',
      () => fails(/Table public\.big has 24000 rows instead of 23999\. Table public\.gone with 3 rows is missing/),
    ))

  test('a manifest in the storage that somebody changed is found, and what differs is named', () =>
    withManifest(
      ({ contents: { tables } }) => {
        tables['public.big']!.rows--
      },
      'storage',
      () => fails(/manifest in the storage differs from the uploaded one\. Table public\.big has 23999 rows/),
    ))

  test('a scratch server whose disk is full: the drill says so, and nothing of it stays', async (t) => {
    const build = promisify(execFile)('docker', ['--host', dockerHost, 'build', '--quiet', '--tag', tight, '-'])
    build.child.stdin!.end(recipe(runtime.databaseClients.client.images[0]!))
    await build
    t.after(() => docker('image', 'rm', tight))
    await withManifest(
      (it) => {
        it.image = tight
      },
      'both',
      () => fails(/No space left on device/),
    )
  })

  test('after all that, the dump is proven', async () => {
    const { status, body } = await verify()
    assert.deepEqual([status, body.message], [200, undefined])
    const run = (await runtime.runsOf(backupId)).find(({ runId }) => runId === source.runId)!
    assert.match(String(run.verifiedAt), /^\d{4}-/)
  })

  test('a restore into another service: it holds the dump, the first one is left alone, and the way back is there', async () => {
    const other = await runtime.databaseClients.deployed()
    const url = await runtime.databaseClients.urlOf(other)
    await sql(url, 'create table big as select 7 as n')
    await sql(runtime.url, 'delete from big where n > 10')
    const into = { postgresId: other.postgresId, confirm: other.appName }
    assert.equal(
      (await runtime.restore({ backupId, runId: source.runId, ...into, confirm: runtime.database.appName })).status,
      400,
      'not by the name of the one that was dumped',
    )
    const { status, body } = await runtime.restore({ backupId, runId: source.runId, ...into })
    assert.deepEqual([status, body.message, body.databaseId], [200, undefined, other.postgresId])
    assert.deepEqual([await runtime.count(url), await runtime.count()], [rows, 10])
    const back = await runtime.restore({ backupId, runId: body.safetyRunId, ...into })
    assert.deepEqual([back.status, await sql(url, 'select * from big')], [200, [{ n: 7 }]])
    await runtime.databaseClients.clear(other)
  })
})
