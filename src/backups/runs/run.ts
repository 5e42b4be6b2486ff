/** One run of a backup in the hands of the loop: its row, what is stored of it on the way, and how it is called off. */
import { TooLarge } from '../../lib/net/read-whole.ts'
import { type Bucket, openBucket } from '../../lib/s3/s3.ts'
import type { BackupRunTable } from '../table.ts'
import { settingsOfDestination } from '../destinations/settings.ts'
import type { Runtime } from '../../runtime.ts'
import { RunFailure } from '../../dumps/failures.ts'
import { manifestKeyOf, maxManifestBytes } from '../../dumps/manifest.ts'

/** Between the tries of what has to be done some time: half of the time that has passed since, within these. */
const [soonestMs, latestMs] = [60_000, 3600_000]

export interface Running {
  runtime: Runtime
  /** As it was last stored. */
  row: BackupRunTable
  bucket: Bucket
  /** Aborted when somebody cancels it, or Berth stops. */
  signal: AbortSignal
}

/** Between the tries of a scheduled run: 1, 4 and 16 minutes. */
export const retryMs = [60_000, 4 * 60_000, 16 * 60_000] as const

/** When what failed just now is to be tried again; `since` when it was to be done at first. */
export function dueAgain(since: string, now: Date): string {
  const sinceMs = now.getTime() - Date.parse(since)
  return new Date(now.getTime() + Math.min(Math.max(sinceMs / 2, soonestMs), latestMs)).toISOString()
}

/** Throws RunFailure where the destination is gone. */
export async function bucketOf(
  { db, vault, storage }: Runtime,
  { destinationId }: Pick<BackupRunTable, 'destinationId'>,
): Promise<Bucket> {
  const row = await db.selectFrom('destination').selectAll().where('id', '=', destinationId).executeTakeFirst()
  if (row === undefined) throw new RunFailure({ reason: 'DestinationRemoved' })
  return openBucket(settingsOfDestination(vault, row), storage)
}

/** Stored before the next step begins: a crash goes on from here. */
export async function store(it: Pick<Running, 'runtime' | 'row'>, patch: Partial<BackupRunTable>): Promise<void> {
  Object.assign(it.row, patch)
  await it.runtime.transact((tx) => tx.updateTable('backupRun').set(patch).where('id', '=', it.row.id).execute())
}

/** What was read back has to be what was sent. Throws RunFailure. */
export function refuseOther(
  row: BackupRunTable,
  { sizeBytes, sha256 }: Pick<BackupRunTable, 'sizeBytes' | 'sha256'>,
): void {
  if (sizeBytes === row.sizeBytes && sha256 === row.sha256) return
  throw new RunFailure({ reason: 'ObjectDiffers', receivedBytes: sizeBytes, sentBytes: row.sizeBytes })
}

/** The last step of a dump: its manifest in the bucket, by which others know it. */
export async function listBeside({ row, bucket, signal }: Running): Promise<void> {
  const manifest = Buffer.from(row.manifest!)
  // What could not be read again would be no good dump.
  if (manifest.length > maxManifestBytes) throw new TooLarge(`The manifest of ${row.key}`, maxManifestBytes)
  await bucket.put(manifestKeyOf(row.key!), manifest, signal)
}

/** Progress is stored so often at most. */
const noteMs = 2000

/** Notes how many bytes have passed, now and then. */
export function progressOf(it: Running): (bytes: number) => Promise<void> {
  let notedAt = performance.now()
  let progressBytes = 0
  return async (bytes) => {
    progressBytes += bytes
    if (performance.now() - notedAt < noteMs) return
    notedAt = performance.now()
    await store(it, { progressBytes })
  }
}
