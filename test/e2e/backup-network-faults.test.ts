/**
 * Backups over a connection that is reset, stalled or slowed during an upload. The run succeeds or records the reason.
 * After the connection is restored, nothing of a failed run remains in the bucket, and the next run succeeds.
 */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { openBucket } from '../../src/lib/s3/s3.ts'
import { until } from '../engine/until.ts'
import type { RunAnswer } from './backup-suite.ts'
import { type BackupFixture, openBackupFixture } from './backup-fixture.ts'
import { type FaultyProxy, openFaultyProxy } from './faulty-proxy.ts'
import { sql } from './swarm.ts'

const MiB = 1024 ** 2
/** Shorter timeouts than the defaults, with which minutes pass before a connection counts as dead. */
const storageOptions = { attempts: 2, waitMs: 100, idleMs: 1500 }
const minute = 60_000
const rows = 24_000

let runtime: BackupFixture
let proxy: FaultyProxy
let destinationId: string
let aheadMs = 0
before(async () => {
  runtime = await openBackupFixture(rows, { storage: storageOptions, now: () => new Date(Date.now() + aheadMs) })
  proxy = await openFaultyProxy(runtime.storage.port)
  destinationId = await runtime.destination({ endpoint: `http://127.0.0.1:${proxy.port}` })
})
afterEach(() => proxy.heal())
after(async () => {
  await runtime[Symbol.asyncDispose]()
  await proxy[Symbol.asyncDispose]()
})

const create = (prefix: string) => runtime.create(prefix, { destinationId })

/** Returns the keys of objects and uploads under a prefix. Does not use the faulty connection. */
async function keysInBucket(prefix: string) {
  using bucket = openBucket(runtime.storage.settings('backups'))
  const [uploads, { objects }] = await Promise.all([bucket.listUploads(prefix), bucket.list(prefix, 100)])
  return [...uploads, ...objects].map(({ key }) => key)
}

/** Begins a run, calls `interrupt` during the upload, and returns the ended run. The connection is slow until then. */
async function interruptedRun(backupId: string, interrupt: () => void): Promise<RunAnswer> {
  proxy.slow(8 * MiB)
  const runId = await runtime.beginRun(backupId)
  await until('2 MiB to be sent', async () => proxy.sentBytes() > 2 * MiB)
  proxy.slow(Infinity)
  interrupt()
  return runtime.waitForEnd(backupId, runId)
}

describe('backups over a faulty connection', { concurrency: 1 }, () => {
  test('a run succeeds over a slow connection, although it takes longer than the idle timeout', async () => {
    const backupId = await create('slow')
    const bytesPerSecond = 6 * MiB
    proxy.slow(bytesPerSecond)
    const { status, body } = await runtime.run(backupId)
    assert.deepEqual([status, body.message, body.reason], [200, undefined, null])
    // The check reads the dump over a single connection, so this duration is its minimum.
    assert.ok((body.sizeBytes / bytesPerSecond) * 1000 > storageOptions.idleMs, `${body.sizeBytes} bytes`)
    assert.deepEqual(await keysInBucket('slow'), [body.key, `${body.key}.json`])
  })

  test('a run succeeds after its connection stalls once', async () => {
    const ended = await interruptedRun(await create('once'), () => proxy.stall('up', 0, 1))
    assert.deepEqual([ended.status, ended.reason, proxy.faultCounts.stall], ['done', null, 1])
    assert.deepEqual(await keysInBucket('once'), [ended.key, `${ended.key}.json`])
  })

  test('a run fails and leaves nothing if every large request is reset', async () => {
    const backupId = await create('cut')
    const ended = await interruptedRun(backupId, () => proxy.cut('up', MiB / 16))
    assert.equal(ended.status, 'error')
    assert.match(ended.reason!, /^The connection to 127\.0\.0\.1:\d+ broke when it was asked to write/)
    await runtime.waitForCleanUp(backupId, ended.runId)
    assert.deepEqual(await keysInBucket('cut'), [])
    proxy.heal()
    await runtime.backUp(backupId, 'cut')
  })

  test('a run fails if its connection stays stalled, and its uploads are deleted later', async () => {
    const backupId = await create('stalled')
    const ended = await interruptedRun(backupId, () => proxy.stall('up', 0))
    assert.equal(ended.status, 'error')
    assert.match(ended.reason!, /did not answer within 1\.5 seconds when it was asked to write/)
    assert.deepEqual(
      await keysInBucket('stalled'),
      [ended.key],
      'the upload could not be aborted over the stalled connection',
    )
    proxy.heal()
    aheadMs += minute
    await until('the upload to be aborted', async () => (await keysInBucket('stalled')).length === 0)
    await until('the clean-up to be recorded', async () => (await runtime.runsOf(backupId))[0]!.key === null)
    await runtime.backUp(backupId, 'stalled')
  })

  test('a restore changes nothing if its safety dump fails, and a later restore succeeds', async () => {
    const backupId = await create('restored')
    const { runId } = await runtime.backUp(backupId, 'restored')
    await sql(runtime.url, 'delete from big where n > 9000')
    proxy.cut('up', MiB / 16)
    const before = await runtime.count()
    const { status, body } = await runtime.restore({ backupId, runId })
    assert.equal(status, 422)
    assert.match(body.message!, /^The connection to 127\.0\.0\.1:\d+ broke/)
    await runtime.compareCount(before)
    const safety = (await runtime.runsOf(backupId)).find(({ trigger }) => trigger === 'safety')!
    assert.deepEqual([safety.status, safety.reason], ['error', body.message])
    await runtime.waitForCleanUp(backupId, safety.runId, 2 * minute)
    assert.deepEqual(await keysInBucket('berth-safety'), [])
    proxy.heal()
    assert.equal((await runtime.restore({ backupId, runId })).status, 200)
    await runtime.compareCount(rows)
  })
})
