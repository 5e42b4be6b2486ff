/**
 * Faults during a backup: the dump program is killed, or the run is cancelled. Each time the run records the reason,
 * the bucket contains no incomplete dump, and the next run succeeds. Also encryption for a recipient and retention.
 * backup-network-faults.test.ts interrupts the storage, backup-crash.test.ts kills Berth.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { until } from '../engine/until.ts'
import type { RunAnswer } from './backup-suite.ts'
import { type BackupFixture, openBackupFixture } from './backup-fixture.ts'
import type { Fields } from './database-clients.ts'
import { docker, sql } from './swarm.ts'

const smallRows = 100

/** Its database is so large that a test can interrupt a dump. Dumps without an interruption use the small database. */
let runtime: BackupFixture
let smallUrl: string
before(async () => {
  runtime = await openBackupFixture(60_000)
  smallUrl = await runtime.createDatabase('small', smallRows)
})
after(() => runtime[Symbol.asyncDispose]())

const createSmall = (prefix: string, more: Fields = {}) => runtime.create(prefix, { database: 'small', ...more })

/** Begins a run, calls `interrupt` while the dump program runs, and returns the ended run. */
async function interruptedRun(backupId: string, interrupt: (runId: string) => Promise<unknown>): Promise<RunAnswer> {
  const runId = await runtime.beginRun(backupId)
  await interrupt(runId)
  return runtime.waitForEnd(backupId, runId)
}

describe('backup faults', { concurrency: 1 }, () => {
  test('a run whose dump program is killed reports it and leaves no file', async () => {
    const backupId = await runtime.create('killed')
    const ended = await interruptedRun(backupId, async (runId) =>
      docker('kill', (await runtime.jobsOf(`dump-${runId}`))[0]!),
    )
    assert.equal(ended.status, 'error')
    assert.match(ended.reason!, /exit code 137/)
    await runtime.waitForCleanUp(backupId, ended.runId)
    assert.deepEqual(runtime.filesUnder('killed'), [])
    await runtime.backUp(backupId, 'killed')
  })

  test('a cancelled run ends and leaves no file', async () => {
    const backupId = await runtime.create('called-off')
    const ended = await interruptedRun(backupId, (runId) => runtime.berth.call('backup.cancel', { runId }))
    assert.deepEqual([ended.status, ended.reason], ['error', 'The run was cancelled'])
    await runtime.waitForCleanUp(backupId, ended.runId)
    assert.deepEqual(runtime.filesUnder('called-off'), [])
    await until('the dump container to be removed', async () => (await runtime.jobsOf('dump')).length === 0)
    await runtime.backUp(backupId, 'called-off')
  })

  test('a run for a database that does not exist fails', async () => {
    const backupId = await runtime.create('nowhere', { database: 'nowhere' })
    const { status, body } = await runtime.run(backupId)
    assert.equal(status, 422)
    assert.match(body.message!, /nowhere/)
    await runtime.waitForCleanUp(backupId, (await runtime.runsOf(backupId))[0]!.runId)
    assert.deepEqual(runtime.filesUnder('nowhere'), [])
  })

  test('backup.files lists the files under a prefix with special characters', async () => {
    for (const prefix of ['prod (eu)', "team's/daily", ' *a!/ (b) ']) {
      const backupId = await createSmall(prefix)
      const {
        body: { key },
      } = await runtime.run(backupId)
      const { status, body } = await runtime.berth.call<Fields[]>('backup.files', { backupId })
      assert.deepEqual([status, body.map((file) => file.key)], [200, [key, `${key}.json`]], prefix)
    }
  })

  test('retention keeps the newest dumps and deletes only dumps of its own backup', async () => {
    const [kept, other] = [await createSmall('kept', { keepLatest: 2 }), await createSmall('kept')]
    const foreign = await runtime.backUp(other, 'kept')
    const own = [
      await runtime.backUp(kept, 'kept'),
      await runtime.backUp(kept, 'kept'),
      await runtime.backUp(kept, 'kept'),
    ]
    const remaining = await until('the oldest dump to be deleted', async () => {
      const names = runtime.filesUnder('kept')
      return names.length === 6 && names
    })
    const names = [foreign, ...own.slice(1)].map(({ key }) => key.split('/').at(-1)!)
    assert.deepEqual(remaining.toSorted(), names.flatMap((name) => [name, `${name}.json`]).toSorted())
    await until('the deletion to be recorded', async () => (await runtime.runsOf(kept))[0]!.key === null)
    assert.deepEqual(
      (await runtime.runsOf(kept)).map(({ key }) => key === null),
      [true, false, false],
    )
  })

  test('a dump of a database that lost its rows is marked, and the previous dump is kept', async () => {
    const url = await runtime.createDatabase('shrinking', 200)
    const backupId = await runtime.create('shrunk', { database: 'shrinking', keepLatest: 1 })
    const full = await runtime.backUp(backupId, 'shrunk')
    await sql(url, 'truncate big')
    for (const _ of [1, 2]) await runtime.backUp(backupId, 'shrunk')
    const runs = (await runtime.runsOf(backupId)) as (RunAnswer & { rowCount: number; shrunkFrom: string | null })[]
    assert.deepEqual(
      runs.map(({ rowCount, shrunkFrom }) => [rowCount, shrunkFrom]),
      [
        [200, null],
        [0, full.runId],
        [0, full.runId],
      ],
    )
    assert.equal(runs[0]!.key, full.key)
    const { body } = await runtime.berth.call<{ shrunk: Fields }>('backup.one', { backupId })
    assert.deepEqual(body.shrunk, { runId: runs[1]!.runId, shrunkFrom: full.runId })
    const { status } = await runtime.restore({ backupId, runId: full.runId, database: 'shrinking' })
    assert.equal(status, 200)
    await runtime.compareCount(200, url)
  })

  test('a run succeeds and reports it if older dumps cannot be deleted', async () => {
    const actions = ['s3:PutObject', 's3:GetObject', 's3:ListBucket', 's3:AbortMultipartUpload']
    const { accessKey, secretAccessKey } = await runtime.storage.account('backups', 'may-not-delete', actions)
    const destinationId = await runtime.destination({ accessKey, secretAccessKey })
    const backupId = await createSmall('worm', { keepLatest: 1, destinationId })
    const first = await runtime.backUp(backupId, 'worm')
    const { status, body } = await runtime.run(backupId)
    assert.deepEqual([status, body.status], [200, 'done'])
    const reason = await until(
      'the failed deletion to be recorded',
      async () => (await runtime.runsOf(backupId)).find(({ runId }) => runId === body.runId)!.reason,
    )
    assert.match(reason, /older one could not be deleted: The access key may not delete/)
    const names = [first, body].map(({ key }) => key.split('/').at(-1)!)
    assert.deepEqual(runtime.filesUnder('worm').toSorted(), names.flatMap((name) => [name, `${name}.json`]).toSorted())
  })

  test('an encrypted dump can be restored only with its identity', async () => {
    const identity = await generateIdentity()
    const backupId = await createSmall('sealed', { recipient: await identityToRecipient(identity) })
    const { runId, key } = await runtime.backUp(backupId, 'sealed')
    assert.match(key, /\.dump\.zst\.age$/)
    await sql(smallUrl, 'delete from big where n > 10')
    const restore = (more: Fields) => runtime.restore({ backupId, runId, ...more })
    assert.equal((await restore({})).status, 400)
    const wrong = await restore({ identity: await generateIdentity(), skipSafetyDump: true })
    assert.equal(wrong.status, 400)
    await runtime.compareCount(10, smallUrl)
    const { status, body } = await restore({ identity })
    assert.deepEqual([status, body.message], [200, undefined])
    await runtime.compareCount(smallRows, smallUrl)
  })

  test('a backup calls its signalUrl, and a restore starts a stopped service', async () => {
    const requestedPaths: string[] = []
    const server = createServer((request, response) => {
      requestedPaths.push(request.url ?? '')
      response.end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const signalUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/alive`
    const backupId = await createSmall('signal', { signalUrl })
    const { runId } = await runtime.backUp(backupId, 'signal')
    await until('the call of signalUrl', async () => requestedPaths.length === 1)
    server.close()
    await runtime.databaseClients.done('stop', runtime.database)
    assert.equal((await runtime.run(backupId)).status, 412, 'a stopped service cannot be dumped')
    const { status, body } = await runtime.restore({ backupId, runId })
    assert.deepEqual([status, body.message, requestedPaths], [200, undefined, ['/alive']])
    await runtime.compareCount(smallRows, smallUrl)
  })
})
