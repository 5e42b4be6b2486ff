/** Sizes of uploads: nobody knows the size of a dump before its end, but the size of its parts has to be chosen before. */
import { AbandonedUpload, UploadOutgrown } from '../../lib/storage/faults.ts'
import { lastGoodOf, lastGoodOfDatabase } from '../run-queries.ts'
import type { RunContext } from './run.ts'

/** By how much the next attempt is larger than the one that its storage could not hold. */
const growth = 4

/**
 * Expects an upload of the size of the last good dump. If it outgrows the number of parts that the storage allows, it begins
 * again with larger parts.
 */
export async function withExpectedSize<T>(
  { runtime, row }: RunContext,
  upload: (expectedBytes: number) => Promise<T>,
): Promise<T> {
  const { db, log } = runtime
  const last = await (row.backupId === null
    ? lastGoodOfDatabase(db, row.databaseId ?? '')
    : lastGoodOf(db, row.backupId))
  let expectedBytes = last?.sizeBytes ?? 0
  for (;;) {
    try {
      return await upload(expectedBytes)
    } catch (error) {
      const cause: unknown = error instanceof AbandonedUpload ? error.cause : error
      if (!(cause instanceof UploadOutgrown)) throw error
      expectedBytes = cause.sentBytes * growth
      log.info('the dump is larger than expected: its upload begins again', { runId: row.id, expectedBytes })
    }
  }
}
