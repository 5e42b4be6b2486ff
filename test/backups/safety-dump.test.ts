/** Safety dumps: their destination, recipient, separation from backups, and expiry. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { until } from '../engine/until.ts'
import { run as runCommand } from '../installation/run-command.ts'
import { openShop, row, type Run, type Shop } from './restores.ts'
import type { Input } from '../fixtures/test-berth.ts'

const foreign = 'age1w2j83d77vfdw3qls9uhl5a4j8jks7ccmcc3c4fdc27cnrld55p0qp2gjsf'
const day = 24 * 3600_000

let shop: Shop
beforeEach(async () => {
  shop = await openShop()
})
afterEach(() => shop[Symbol.asyncDispose]())

const rowOf = (id: string | null) =>
  shop.testBerth.app.db.selectFrom('backupRun').selectAll().where('id', '=', id!).executeTakeFirstOrThrow()

/** Exports the identity of the installation. @returns the recipient */
async function exportIdentity(): Promise<string> {
  const { out } = await runCommand(shop.testBerth.folder, ['key', 'export-backup-identity'])
  return /public key: (\S+)/.exec(out)![1]!
}

/** Performs a restore. @returns its safety dump */
async function performRestore(input: Input) {
  const { runId } = await shop.restore(input)
  const run = await shop.waitForEnd(runId)
  assert.deepEqual([run.status, run.reason], ['done', null])
  const safety = await rowOf(run.safetyRunId)
  assert.deepEqual([safety.status, safety.trigger, safety.backupId], ['done', 'safety', null])
  assert.equal(shop.bucket.objects.has(safety.key!), true)
  return { run, safety }
}

test('uses the destination and the recipient of the newest enabled backup of the target', async () => {
  const own = await exportIdentity()
  const source = await shop.backup('source')
  const newest = await shop.destination('newest')
  await shop.backup('enabled', { destinationId: newest, recipient: 'installation' })
  await shop.backup('disabled', { recipient: foreign, enabled: false })
  const { runId } = await shop.dump(source)
  shop.data.text = row(2)
  const { safety } = await performRestore({ backupId: source, runId })
  assert.deepEqual([safety.destinationId, safety.recipient], [newest, own])
  assert.match(safety.key!, /\.age$/)
  assert.equal(shop.bucket.objects.get(safety.key!)!.subarray(0, 22).toString(), 'age-encryption.org/v1\n')
  assert.equal(shop.data.text, row(1))
  // A restore by the run id alone; Berth decrypts the dump with its own identity.
  const { run } = await performRestore({ runId: safety.id })
  assert.deepEqual([run.backupId, shop.data.text], [null, row(2)])
})

test('uses the destination and the recipient of the restored dump if no backup is enabled', async () => {
  const own = await exportIdentity()
  const source = await shop.backup('source', { recipient: 'installation' })
  const { runId } = await shop.dump(source)
  const sent = { backupId: source, schedule: '0 3 1 1 *', prefix: 'source', database: 'shop' }
  const { destinationId } = await rowOf(runId)
  await shop.testBerth.ok('backup.update', { ...sent, destinationId: await shop.destination('later'), enabled: false })
  const { safety } = await performRestore({ backupId: source, runId })
  assert.deepEqual([safety.destinationId, safety.recipient], [destinationId, own])
})

test('restores a safety dump for another recipient with the identity', async () => {
  const source = await shop.backup('source')
  const { runId } = await shop.dump(source)
  await shop.backup('foreign', { recipient: foreign })
  const { safety } = await performRestore({ runId })
  assert.equal(safety.recipient, foreign)
  const { message } = await shop.testBerth.refused(
    'BAD_REQUEST',
    'backup.restore',
    { runId: safety.id, mysqlId: shop.database.mysqlId, confirm: shop.database.appName },
    'identity',
  )
  assert.match(message, /identity/)
})

test('leaves safety dumps out of backups, but lists them with their service and its backups', async () => {
  const { testBerth, database } = shop
  const source = await shop.backup('source', { keepLatest: 1 })
  const { runId } = await shop.dump(source)
  testBerth.pass(2 * day)
  const { run, safety } = await performRestore({ runId })
  const metrics = await (
    await fetch(`${await testBerth.listen()}/metrics`, { headers: { authorization: `Bearer ${testBerth.user}` } })
  ).text()
  const age = Number(/^berth_backup_last_good_age_seconds\{.*\} (\S+)$/m.exec(metrics)![1])
  assert.ok(age > 2 * 24 * 3600, `${age}`)
  const drill = await testBerth.ok<Run>('backup.verify', { backupId: source })
  assert.equal((await rowOf(drill.runId)).sourceRunId, runId)
  await testBerth.refused('NOT_FOUND', 'backup.verify', { backupId: source, runId: safety.id })
  const wanted = [runId, run.runId, safety.id]
  for (const input of [{ backupId: source }, { serviceId: database.mysqlId }, { status: 'done' }]) {
    const listed = (await testBerth.ok<Run[]>('backup.runs', input)).map((entry) => entry.runId)
    assert.deepEqual(
      wanted.filter((id) => !listed.includes(id)),
      [],
    )
  }
  assert.deepEqual(await testBerth.ok('backup.runs', { serviceId: 'another' }), [])
  await shop.waitForEnd(drill.runId)
  await shop.dump(source)
  assert.notEqual((await rowOf(safety.id)).key, null, 'the retention of a backup does not delete a safety dump')
  await testBerth.ok('backup.remove', { backupId: source })
  assert.equal((await testBerth.ok<Run[]>('backup.runs', { serviceId: database.mysqlId })).at(-1)?.runId, safety.id)
})

test('deletes an expired safety dump and keeps the others', async () => {
  const { testBerth, bucket } = shop
  const source = await shop.backup('source')
  const { runId, key } = await shop.dump(source)
  const { safety } = await performRestore({ runId })
  assert.ok(Math.abs(Date.parse(safety.expiresAt!) - Date.parse(safety.finishedAt!) - 7 * day) < 1000)
  const turn = () => {
    testBerth.app.wake('backups')
    return until(
      'no expired object',
      async () => (await testBerth.app.db.selectFrom('expiredObject').selectAll().execute()).length === 0,
    )
  }
  testBerth.pass(7 * day - 60_000)
  await turn()
  assert.equal(bucket.objects.has(safety.key!), true)
  testBerth.pass(120_000)
  testBerth.app.wake('backups')
  await until('the object to be deleted', async () => !bucket.objects.has(safety.key!))
  await turn()
  assert.deepEqual([...bucket.objects.keys()].toSorted(), [key, `${key}.json`])
  const { message } = await testBerth.refused('PRECONDITION_FAILED', 'backup.restore', {
    runId: safety.id,
    mysqlId: shop.database.mysqlId,
    confirm: shop.database.appName,
  })
  assert.match(message, /deleted/)
})

test('keeps safety dumps for the number of days in BERTH_SAFETY_DUMP_DAYS', async () => {
  await shop[Symbol.asyncDispose]()
  shop = await openShop({ BERTH_SAFETY_DUMP_DAYS: '30' })
  const { runId } = await shop.dump(await shop.backup('source'))
  const { safety } = await performRestore({ runId })
  assert.ok(Math.abs(Date.parse(safety.expiresAt!) - Date.parse(safety.finishedAt!) - 30 * day) < 1000)
})

test('cancels a safety dump only together with its restore', async () => {
  const { runId } = await shop.dump(await shop.backup('source'))
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  shop.before.do = (_part, signal) => {
    resolve()
    return new Promise((end) => {
      signal.addEventListener('abort', () => end())
    })
  }
  const restore = await shop.restore({ runId })
  await begun
  const { safetyRunId } = await rowOf(restore.runId)
  const { message } = await shop.testBerth.refused('PRECONDITION_FAILED', 'backup.cancel', { runId: safetyRunId })
  assert.match(message, new RegExp(restore.runId))
  await shop.testBerth.ok('backup.cancel', { runId: restore.runId })
  assert.equal((await shop.waitForEnd(restore.runId)).status, 'error')
  assert.equal((await rowOf(safetyRunId)).status, 'error')
})
