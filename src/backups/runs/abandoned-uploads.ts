/**
 * Uploads that came back. A storage may still be at a call of a Berth that was killed: a part that it was putting away
 * brings an upload back that the next Berth has aborted. So each bucket is looked through once more, some time later.
 * Source: docs.aws.amazon.com/AmazonS3/latest/API/API_AbortMultipartUpload.html.
 */
import { forEachConcurrent } from '../../lib/async/for-each-concurrent.ts'
import { openBucket, StorageFault, type Upload } from '../../lib/s3/s3.ts'
import { settingsOfDestination } from '../destinations/settings.ts'
import type { DestinationTable } from '../../store/schema.ts'
import type { Runtime } from '../../runtime.ts'
import { runIdIn } from '../../dumps/manifest.ts'

type Asked = Pick<Runtime, 'db' | 'vault' | 'storage' | 'log'>

const bucketMs = 60_000
const bucketsAtOnce = 4
/** Of uploads that look like Berth's own; the others are there the next time. */
const maxUploads = 1000

/** Gives those whose storage did not answer. `ids`: of destinations; null: all that were used. */
export async function abortAbandonedUploads(
  runtime: Asked,
  ids: readonly string[] | null,
  signal: AbortSignal,
): Promise<readonly string[]> {
  let rows = runtime.db
    .selectFrom('destination')
    .selectAll()
    .where('id', 'in', (db) => db.selectFrom('backupRun').select('destinationId'))
  if (ids !== null) rows = rows.where('id', 'in', ids)
  const unanswered: string[] = []
  await forEachConcurrent(await rows.execute(), bucketsAtOnce, async (destination) => {
    try {
      await abortIn(runtime, destination, AbortSignal.any([signal, AbortSignal.timeout(bucketMs)]))
    } catch (error) {
      runtime.log.warn('the uploads in a bucket could not be looked through', {
        destinationId: destination.id,
        reason: String(error),
      })
      // Who may not list is not told, and never will be.
      if (!(error instanceof StorageFault) || error.isPassing) unanswered.push(destination.id)
    }
  })
  return unanswered
}

/** Those of Berth's own runs that no run is sending. */
async function abortIn({ db, vault, storage }: Asked, destination: DestinationTable, signal: AbortSignal) {
  using bucket = openBucket(settingsOfDestination(vault, destination), storage)
  const found = (await bucket.listUploads('', signal)).filter(({ key }) => runIdIn(key) !== null).slice(0, maxUploads)
  if (found.length === 0) return
  // Read after the list: whoever has begun since then is not in it.
  const runs = await db
    .selectFrom('backupRun')
    .select(['id', 'status', 'step', 'key'])
    .where(
      'id',
      'in',
      found.map(({ key }) => runIdIn(key)!),
    )
    .where('destinationId', '=', destination.id)
    .execute()
  const isStray = ({ key }: Upload) =>
    runs.some(
      (run) =>
        run.id === runIdIn(key) &&
        !(run.key === key && run.step === 'dump' && ['waiting', 'running'].includes(run.status)),
    )
  for (const { key, uploadId } of found.filter(isStray)) await bucket.abortUpload(key, uploadId, signal)
}
