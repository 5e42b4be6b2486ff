/**
 * Expires dumps by the retention rules. A transaction first moves the key of the dump from its run to the table
 * `expiredObject`. Then Berth deletes the object, with retries. So as long as the run of a good dump has a key, Berth
 * has not deleted its object.
 */
import { futureFrom } from '../../clock/trust.ts'
import { explain, ObjectLocked } from '../../lib/storage/faults.ts'
import type { BackupRunTable, ExpiredObjectTable } from '../table.ts'
import type { Writer } from '../../store/schema.ts'
import type { Runtime } from '../../runtime.ts'
import { manifestKeyOf } from '../../dumps/manifest.ts'
import { expendableDumps } from './retention.ts'
import { maxRetryMs, openRunStorage, retryTime } from '../runs/run.ts'
import { updateShrinkMarks } from './shrink.ts'

const deleteTimeoutMs = 60_000
const batchSize = 100

/**
 * Updates the marks of shrunk dumps (shrink.ts) in the backup of `row`, and expires dumps by its retention rules. Call
 * this only if `row`, the newest dump of the backup, has just succeeded.
 * @param trusted the time by which dumps become old; null while the clock is not trusted
 */
export async function expireOlderDumps(
  tx: Writer,
  row: BackupRunTable,
  now: Date,
  trusted: Date | null,
): Promise<void> {
  const { id, backupId } = row
  const backup = await tx
    .selectFrom('backup')
    .selectAll()
    .where('id', '=', backupId ?? '')
    .executeTakeFirst()
  if (backup === undefined) return
  await updateShrinkMarks(tx, row)
  const goodDumps = await tx
    .selectFrom('backupRun')
    .select(['id', 'finishedAt', 'databaseId', 'database', 'holdsOlder', 'key', 'destinationId'])
    .where('backupId', '=', backup.id)
    .where('action', '=', 'dump')
    .where('trigger', '!=', 'safety')
    .where('status', '=', 'done')
    .where('key', 'is not', null)
    .execute()
  for (const { id: runId, key, destinationId } of expendableDumps(backup, goodDumps, id, trusted)) {
    await tx
      .updateTable('backupRun')
      .set({ key: null, manifest: null, privateProfile: null })
      .where('id', '=', runId)
      .execute()
    await recordExpiredObject(tx, { key: key!, destinationId, backupId: backup.id }, now)
  }
}

/** Records an object for deletion. The deletion is due at `now`. */
export async function recordExpiredObject(
  tx: Writer,
  object: Pick<ExpiredObjectTable, 'key' | 'destinationId' | 'backupId'>,
  now: Date,
): Promise<void> {
  const at = now.toISOString()
  await tx
    .insertInto('expiredObject')
    .values({ ...object, since: at, dueAt: at })
    .execute()
}

/** Deletes the records of the expired objects in a destination that is removed. The objects stay in the bucket. */
export async function forgetExpiredObjectsIn(tx: Writer, destinationId: string): Promise<void> {
  await tx.deleteFrom('expiredObject').where('destinationId', '=', destinationId).execute()
}

/** Makes objects due whose deletion waits for a time that the clock had while it was ahead. */
export async function correctDeletionTimes(tx: Writer, now: Date): Promise<void> {
  const latest = futureFrom(new Date(now.getTime() + maxRetryMs))
  await tx.updateTable('expiredObject').set({ dueAt: now.toISOString() }).where('dueAt', '>', latest).execute()
}

/** Deletes the records of all expired objects. The objects stay in their buckets. */
export async function forgetExpiredObjects(tx: Writer): Promise<void> {
  await tx.deleteFrom('expiredObject').execute()
}

/**
 * Deletes expired objects, at most `batchSize` per call. Deletes none while changes are held back.
 * @param backupId only the objects of this backup, due or not; null: all due objects
 * @returns the message of the first failure; null if there was none
 */
export async function deleteExpiredObjects(
  runtime: Runtime,
  backupId: string | null,
  signal: AbortSignal,
): Promise<string | null> {
  if (runtime.gate.reason() !== null) return null
  let rows = runtime.db
    .selectFrom('expiredObject')
    .selectAll()
    .where('destinationId', 'in', (db) => db.selectFrom('destination').select('id'))
    .orderBy('dueAt')
    .limit(batchSize)
  rows =
    backupId === null ? rows.where('dueAt', '<=', runtime.now().toISOString()) : rows.where('backupId', '=', backupId)
  let firstFailure: string | null = null
  for (const row of await rows.execute()) {
    if (signal.aborted) break
    const failure = await deleteOne(runtime, row, signal)
    firstFailure ??= failure
  }
  return firstFailure
}

/**
 * When to try again to delete a locked object: at the end of the lock, but within `maxRetryMs`, because somebody may end it
 * before, and because the clock may be wrong.
 */
const dueAfterLock = ({ until }: ObjectLocked, now: Date): string =>
  new Date(Math.min(until?.getTime() ?? Infinity, now.getTime() + maxRetryMs)).toISOString()

/**
 * Deletes an object and its manifest.
 * @returns the message of the failure; null if the object was deleted or `signal` is aborted
 */
async function deleteOne(runtime: Runtime, row: ExpiredObjectTable, signal: AbortSignal): Promise<string | null> {
  const { key, destinationId, since } = row
  try {
    using storage = await openRunStorage(runtime, row)
    await storage.remove([manifestKeyOf(key), key], AbortSignal.any([signal, AbortSignal.timeout(deleteTimeoutMs)]))
    await runtime.transact((tx) =>
      tx.deleteFrom('expiredObject').where('key', '=', key).where('destinationId', '=', destinationId).execute(),
    )
    return null
  } catch (error) {
    // Berth is stopping, or the run of the caller was aborted; the object stays due.
    if (signal.aborted) return null
    const isLocked = error instanceof ObjectLocked
    if (isLocked) runtime.log.info('an expired dump is locked', { destinationId, key, reason: error.message })
    else runtime.log.warn('cannot delete an expired dump', { destinationId, key, reason: String(error) })
    const now = runtime.now()
    const dueAt = isLocked ? dueAfterLock(error, now) : retryTime(since, now)
    await runtime.transact((tx) =>
      tx
        .updateTable('expiredObject')
        .set({ dueAt })
        .where('key', '=', key)
        .where('destinationId', '=', destinationId)
        .execute(),
    )
    // The owner of the bucket wants the lock, so it is not a failure.
    return isLocked ? null : explain(error)
  }
}
