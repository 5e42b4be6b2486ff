/**
 * Aborts multipart uploads that reappear after a crash. When Berth is killed, the storage may still be writing a part.
 * That part recreates an upload that the next Berth process has already aborted. So Berth searches each bucket again
 * later.
 * Source: docs.aws.amazon.com/AmazonS3/latest/API/API_AbortMultipartUpload.html.
 */
import { forEachConcurrent } from '../../lib/async/for-each-concurrent.ts'
import { StorageFault } from '../../lib/storage/faults.ts'
import type { Upload } from '../../lib/storage/storage.ts'
import { openDestination } from '../destinations/open.ts'
import type { DestinationTable } from '../../store/schema.ts'
import type { Runtime } from '../../runtime.ts'
import { gatedStorage } from '../../gate/storage.ts'
import { runIdIn } from '../../dumps/manifest.ts'

type Dependencies = Pick<Runtime, 'db' | 'vault' | 'storage' | 'log' | 'gate'>

const bucketTimeoutMs = 60_000
const bucketsAtOnce = 4
/** Maximum number of Berth's uploads per search of a bucket. Further uploads are left until the next start of Berth. */
const maxUploads = 1000

/**
 * Aborts the uploads of runs that no longer upload.
 * @param ids the destinations to search; null: all that have runs
 * @returns the ids of the destinations whose search failed but may succeed later
 */
export async function abortAbandonedUploads(
  runtime: Dependencies,
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
      await abortIn(runtime, destination, AbortSignal.any([signal, AbortSignal.timeout(bucketTimeoutMs)]))
    } catch (error) {
      runtime.log.warn('cannot list the uploads in a bucket', { destinationId: destination.id, reason: String(error) })
      // A lasting fault, such as a missing right to list, would recur at every search.
      if (!(error instanceof StorageFault) || error.isTransient) unanswered.push(destination.id)
    }
  })
  return unanswered
}

/** Aborts the uploads in one bucket that belong to Berth's runs but that no run is sending. */
async function abortIn(runtime: Dependencies, destination: DestinationTable, signal: AbortSignal) {
  const { db, vault, storage: options, gate } = runtime
  using storage = gatedStorage(openDestination(vault, destination, options), gate)
  const uploads = (await storage.listUploads('', signal))
    .filter(({ key }) => runIdIn(key) !== null)
    .slice(0, maxUploads)
  if (uploads.length === 0) return
  // Query after listing: an upload that begins in between is not in the list.
  const runs = await db
    .selectFrom('backupRun')
    .select(['id', 'status', 'step', 'key'])
    .where(
      'id',
      'in',
      uploads.map(({ key }) => runIdIn(key)!),
    )
    .where('destinationId', '=', destination.id)
    .execute()
  const isAbandoned = ({ key }: Upload) =>
    runs.some(
      (run) =>
        run.id === runIdIn(key) &&
        !(run.key === key && run.step === 'dump' && ['waiting', 'running'].includes(run.status)),
    )
  for (const { key, uploadId } of uploads.filter(isAbandoned)) await storage.abortUpload(key, uploadId, signal)
}
