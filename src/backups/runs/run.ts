/** The context of a run that the loop works on, and the functions that several steps of runs use. */
import { TooLarge } from '../../lib/net/read-whole.ts'
import type { Storage } from '../../lib/storage/storage.ts'
import type { BackupRunTable } from '../table.ts'
import { openDestination } from '../destinations/open.ts'
import { gatedStorage } from '../../gate/storage.ts'
import type { Runtime } from '../../runtime.ts'
import { RunFailure } from '../../dumps/failures.ts'
import { manifestKeyOf, maxManifestBytes } from '../../dumps/manifest.ts'

/** Limits of the wait that `retryTime` computes. */
const minRetryMs = 60_000
export const maxRetryMs = 3600_000

export interface RunContext {
  runtime: Runtime
  /** The row as last stored. */
  row: BackupRunTable
  storage: Storage
  /** Aborted when the run is cancelled or interrupted, when it takes too long, and when Berth stops. */
  signal: AbortSignal
}

/** Waits between the attempts of a scheduled run: 1, 4 and 16 minutes. */
export const retryMs = [60_000, 4 * 60_000, 16 * 60_000] as const

/**
 * When to retry work that just failed: after half of the time that has passed since `since`, but after at least one
 * minute and at most one hour.
 * @param since when the work was first due
 */
export function retryTime(since: string, now: Date): string {
  const sinceMs = now.getTime() - Date.parse(since)
  return new Date(now.getTime() + Math.min(Math.max(sinceMs / 2, minRetryMs), maxRetryMs)).toISOString()
}

/** Opens the storage of a run behind the gate. Throws RunFailure if the destination was removed. */
export async function openRunStorage(
  { db, vault, storage: options, gate }: Runtime,
  { destinationId }: Pick<BackupRunTable, 'destinationId'>,
): Promise<Storage> {
  const row = await db.selectFrom('destination').selectAll().where('id', '=', destinationId).executeTakeFirst()
  if (row === undefined) throw new RunFailure({ reason: 'DestinationRemoved' })
  return gatedStorage(openDestination(vault, row, options), gate)
}

/** Changes columns of the run in the store and in `run.row`. After a crash, the run resumes from the stored columns. */
export async function store(run: Pick<RunContext, 'runtime' | 'row'>, patch: Partial<BackupRunTable>): Promise<void> {
  Object.assign(run.row, patch)
  await run.runtime.transact((tx) => tx.updateTable('backupRun').set(patch).where('id', '=', run.row.id).execute())
}

/** Throws RunFailure if the object that was read back differs from the uploaded one. */
export function checkReceivedObject(
  row: BackupRunTable,
  { sizeBytes, sha256 }: Pick<BackupRunTable, 'sizeBytes' | 'sha256'>,
): void {
  if (sizeBytes === row.sizeBytes && sha256 === row.sha256) return
  throw new RunFailure({ reason: 'ObjectDiffers', receivedBytes: sizeBytes, sentBytes: row.sizeBytes })
}

/** The last step of a dump: uploads its manifest, so that the dump can be restored without Berth's records. */
export async function uploadManifest({ row, storage, signal }: RunContext): Promise<void> {
  const manifest = Buffer.from(row.manifest!)
  // Berth refuses to read a larger manifest for a restore.
  if (manifest.length > maxManifestBytes) throw new TooLarge(`The manifest of ${row.key}`, maxManifestBytes)
  await storage.put(manifestKeyOf(row.key!), manifest, signal)
}

/** Minimum time between two writes of the progress to the store. */
const progressPeriodMs = 2000

/** Returns a function that adds up bytes and stores the sum at most once per `progressPeriodMs`. */
export function progressOf(run: RunContext): (bytes: number) => Promise<void> {
  let storedAtMs = performance.now()
  let progressBytes = 0
  return async (bytes) => {
    progressBytes += bytes
    if (performance.now() - storedAtMs < progressPeriodMs) return
    storedAtMs = performance.now()
    await store(run, { progressBytes })
  }
}
