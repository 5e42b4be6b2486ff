/**
 * Backups over a line that is cut, stalled and slowed in the middle of an upload. The run says why, or it is good; once
 * the line is back nothing of a failed one is left in the bucket, and the next run is good.
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
/** Less patient than it is elsewhere, where it takes minutes until a line counts as dead. */
const patience = { attempts: 2, waitMs: 100, idleMs: 1500 }
const minute = 60_000
const rows = 24_000

let runtime: BackupFixture
let line: FaultyProxy
let destinationId: string
let aheadMs = 0
before(async () => {
  runtime = await openBackupFixture(rows, { storage: patience, now: () => new Date(Date.now() + aheadMs) })
  line = await openFaultyProxy(runtime.storage.port)
  destinationId = await runtime.destination({ endpoint: `http://127.0.0.1:${line.port}` })
})
afterEach(() => line.heal())
after(async () => {
  await runtime[Symbol.asyncDispose]()
  await line[Symbol.asyncDispose]()
})

const create = (prefix: string) => runtime.create(prefix, { destinationId })

/** Of the prefix, seen from beside the line. */
async function left(prefix: string) {
  using bucket = openBucket(runtime.storage.settings('backups'))
  const [uploads, { objects }] = await Promise.all([bucket.listUploads(prefix), bucket.list(prefix, 100)])
  return [...uploads, ...objects].map(({ key }) => key)
}

/** A run at whose upload's middle something happens to the line, which is slow until then. */
async function disturbed(backupId: string, disturb: () => void): Promise<RunAnswer> {
  line.slow(8 * MiB)
  const runId = await runtime.beginRun(backupId)
  await until('some of it to be sent', async () => line.sentBytes() > 2 * MiB)
  line.slow(Infinity)
  disturb()
  return runtime.waitForEnd(backupId, runId)
}

describe('backups over a bad line', { concurrency: 1 }, () => {
  test('slow, and longer than a line may be silent: the run is good', async () => {
    const backupId = await create('slow')
    const bytesPerSecond = 6 * MiB
    line.slow(bytesPerSecond)
    const { status, body } = await runtime.run(backupId)
    assert.deepEqual([status, body.message, body.reason], [200, undefined, null])
    // It is read back over one connection.
    assert.ok((body.sizeBytes / bytesPerSecond) * 1000 > patience.idleMs, `${body.sizeBytes} bytes`)
    assert.deepEqual(await left('slow'), [body.key, `${body.key}.json`])
  })

  test('stalled once in the middle: the run goes on, and is good', async () => {
    const ended = await disturbed(await create('once'), () => line.stall('up', 0, 1))
    assert.deepEqual([ended.status, ended.reason, line.faultCounts.stall], ['done', null, 1])
    assert.deepEqual(await left('once'), [ended.key, `${ended.key}.json`])
  })

  test('cut for all that is large: the run says so, and leaves nothing', async () => {
    const backupId = await create('cut')
    const ended = await disturbed(backupId, () => line.cut('up', MiB / 16))
    assert.equal(ended.status, 'error')
    assert.match(ended.reason!, /^The connection to 127\.0\.0\.1:\d+ broke when it was asked to write/)
    await runtime.waitForCleanUp(backupId, ended.runId)
    assert.deepEqual(await left('cut'), [])
    line.heal()
    await runtime.backUp(backupId, 'cut')
  })

  test('stalled for ever: the run ends, says so, and what it left goes once the line is back', async () => {
    const backupId = await create('stalled')
    const began = performance.now()
    const ended = await disturbed(backupId, () => line.stall('up', 0))
    assert.ok(performance.now() - began < 30_000)
    assert.equal(ended.status, 'error')
    assert.match(ended.reason!, /did not answer within 1\.5 seconds when it was asked to write/)
    assert.deepEqual(await left('stalled'), [ended.key], 'nothing went over the line')
    line.heal()
    aheadMs += minute
    await until('what was left to go', async () => (await left('stalled')).length === 0)
    await until('the note of it', async () => (await runtime.runsOf(backupId))[0]!.key === null)
    await runtime.backUp(backupId, 'stalled')
  })

  test('cut before a restore: what was there stays, and the dump that could not be made does not hold up others', async () => {
    const backupId = await create('restored')
    const { runId } = await runtime.backUp(backupId, 'restored')
    await sql(runtime.url, 'delete from big where n > 9000')
    line.cut('up', MiB / 16)
    const before = await runtime.count()
    const { status, body } = await runtime.restore({ backupId, runId })
    assert.equal(status, 422)
    assert.match(body.message!, /^The connection to 127\.0\.0\.1:\d+ broke/)
    assert.equal(await runtime.count(), before)
    const safety = (await runtime.runsOf(backupId)).find(({ trigger }) => trigger === 'safety')!
    assert.deepEqual([safety.status, safety.reason], ['error', body.message])
    await runtime.waitForCleanUp(backupId, safety.runId, 2 * minute)
    assert.deepEqual(await left('berth-safety'), [])
    line.heal()
    assert.equal((await runtime.restore({ backupId, runId })).status, 200)
    assert.equal(await runtime.count(), rows)
  })
})
