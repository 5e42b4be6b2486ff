/** Dumps, drills and restores whose data goes directly between the data's node and the storage, without Berth. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { newIdentity } from '../../src/lib/crypto/encryption.ts'
import { until } from '../engine/until.ts'
import { bundled } from '../fixtures/bundle.ts'
import { reachableAddress } from '../fixtures/reachable-address.ts'
import { type BackupFixture, openBackupFixture, wait } from './backup-fixture.ts'
import type { RunAnswer } from './backup-suite.ts'
import { docker, sql } from './swarm.ts'

let fixture: BackupFixture
before(async () => {
  bundled('worker')
  fixture = await openBackupFixture(20_000, {}, reachableAddress())
})
after(() => fixture[Symbol.asyncDispose]())

function checkNothingLeft(): Promise<unknown> {
  const label = `label=berth.installation=${fixture.berth.installationId}`
  const jobs = () => docker('ps', '--all', '--quiet', '--filter', label, '--filter', 'label=berth.job')
  return until('no job to be left', async () => (await jobs()).length === 0)
}

test('dumps, verifies and restores directly, encrypted for a key that Berth does not have', async () => {
  const { identity, recipient } = await newIdentity()
  const backupId = await fixture.create('sealed', { recipient })
  const run = await fixture.backUp(backupId, 'sealed')
  assert.deepEqual([run.streamed, run.rowCount], [null, 20_000])
  const stored = readFileSync(`${fixture.storage.filesOf('backups')}/${run.key}`)
  assert.equal(stored.subarray(0, 21).toString(), 'age-encryption.org/v1')
  assert.equal(stored.length, run.sizeBytes)
  await sql(fixture.url, 'delete from big where n > 10')
  const restored = await fixture.restore({ backupId, runId: run.runId, identity })
  assert.deepEqual([restored.body.status, restored.body.reason, restored.body.streamed], ['done', null, null])
  assert.equal(await fixture.count(), 20_000)
  await checkNothingLeft()
})

test('verifies a dump in a scratch server directly', async () => {
  const backupId = await fixture.create('plain')
  const { runId, streamed } = await fixture.backUp(backupId, 'plain')
  assert.equal(streamed, null)
  const { body } = await fixture.berth.call<RunAnswer>('backup.verify', { backupId, runId }, undefined, wait)
  assert.equal(body.message, undefined)
  assert.match(body.reason ?? '', /^Restored and equal/)
  assert.equal(body.streamed, null)
  await checkNothingLeft()
})

test('reports the failure of the dump tool, and leaves nothing', async () => {
  const backupId = await fixture.create('missing', { database: 'nowhere' })
  const { body } = await fixture.run(backupId)
  assert.match(body.message ?? body.reason ?? '', /nowhere/)
  await checkNothingLeft()
})

test('ends with an error if one of the containers is killed, and leaves neither containers nor the volume', async () => {
  const backupId = await fixture.create('killed')
  const killer = new pg.Client({ connectionString: fixture.url })
  await killer.connect()
  try {
    for (const killed of ['dump', 'worker']) {
      // The dump waits for this lock, so the container is killed during the dump.
      await killer.query('begin; lock table big in access exclusive mode')
      const runId = await fixture.beginRun(backupId)
      const [worker = ''] = await fixture.jobsOf(`worker-${runId}`)
      const [volume = ''] = await docker('inspect', '--format', '{{range .Mounts}}{{.Name}}{{end}}', worker)
      assert.match(volume, /^[0-9a-f]{64}$/)
      await docker('kill', ...(await fixture.jobsOf(`${killed}-${runId}`)))
      const run = await fixture.waitForEnd(backupId, runId)
      assert.deepEqual([run.status, run.streamed], ['error', null], run.reason ?? '')
      await checkNothingLeft()
      assert.deepEqual(await docker('volume', 'ls', '--quiet', '--filter', `name=${volume}`), [])
      await killer.query('rollback')
      await fixture.waitForCleanUp(backupId, runId)
    }
  } finally {
    await killer.end()
  }
  assert.deepEqual(fixture.filesUnder('killed'), [])
  await fixture.backUp(backupId, 'killed')
})
