/**
 * What a run that did not end well has sent is taken back after its end, beside the runs; where the storage cannot be
 * reached, as soon as it can. A failed dump whose row has a key has left something, which is due at `dueAt`.
 */
import { StorageFault } from '../../lib/s3/s3.ts'
import { leftRuns, type RunSummary } from '../run-queries.ts'
import type { BackupRunTable } from '../table.ts'
import type { Runtime } from '../../runtime.ts'
import { deleteExpired } from '../retention/expired.ts'
import { manifestKeyOf } from '../../dumps/manifest.ts'
import { bucketOf, dueAgain, type Running } from './run.ts'
import { expireSafetyDumps } from './safety-dump.ts'
import { abortAbandonedUploads } from './abandoned-uploads.ts'

const cleanUpMs = 60_000
const atOnce = 10
/** From the start on: by then a storage has done what the Berth before asked of it. */
const straysMs = 60_000
const straysAgainMs = 3600_000

/** Takes back what there may be of it in the bucket. */
export async function discard(
  { bucket, signal }: Pick<Running, 'bucket' | 'signal'>,
  { key, uploadId, step }: Pick<BackupRunTable, 'key' | 'uploadId' | 'step'>,
): Promise<void> {
  if (key === null) return
  if (uploadId !== null) await bucket.abortUpload(key, uploadId, signal)
  else if (step === 'dump') await abortUnknown({ bucket, signal }, key)
  // The manifest first: without it nobody takes the object for a good one.
  await bucket.remove([manifestKeyOf(key)], signal)
  await bucket.remove([key], signal)
}

/** The storage may have begun an upload whose id was lost on its way; without the right to list, it stays. */
async function abortUnknown({ bucket, signal }: Pick<Running, 'bucket' | 'signal'>, key: string): Promise<void> {
  const found = await bucket.listUploads(key, signal).catch((error: unknown) => {
    if (error instanceof StorageFault && !error.isPassing) return []
    throw error
  })
  for (const it of found) if (it.key === key) await bucket.abortUpload(key, it.uploadId, signal)
}

/** Never throws. Gives what of it is to be stored. */
async function takeBack(runtime: Runtime, row: RunSummary, signal: AbortSignal): Promise<Partial<BackupRunTable>> {
  try {
    using bucket = await bucketOf(runtime, row)
    await discard({ bucket, signal: AbortSignal.any([signal, AbortSignal.timeout(cleanUpMs)]) }, row)
    return { key: null, uploadId: null, sizeBytes: null, sha256: null, manifest: null, step: 'dump' }
  } catch (error) {
    runtime.log.warn('what a failed run has sent could not be taken back', { runId: row.id, reason: String(error) })
    const now = runtime.now()
    return { dueAt: dueAgain(row.finishedAt ?? now.toISOString(), now) }
  }
}

export interface Leftovers {
  /** Begins to take back what is due, beside the runs; one round at a time. */
  look(): void
  stop(): Promise<void>
}

export function leftovers(runtime: Runtime): Leftovers {
  const abort = new AbortController()
  let round: Promise<void> | null = null
  let straysAt = performance.now() + straysMs
  let unanswered: readonly string[] | null = null
  return {
    look() {
      round ??= goRound()
        .catch((error: unknown) => runtime.log.error('what failed runs have left could not be looked at', error))
        .finally(() => {
          round = null
        })
    },
    async stop() {
      abort.abort()
      await round
    },
  }

  async function goRound() {
    await cleanUpDue(runtime, abort.signal)
    await expireSafetyDumps(runtime)
    await deleteExpired(runtime, null, abort.signal)
    if (abort.signal.aborted || performance.now() < straysAt) return
    unanswered = await abortAbandonedUploads(runtime, unanswered, abort.signal)
    straysAt = unanswered.length === 0 ? Infinity : performance.now() + straysAgainMs
  }
}

async function cleanUpDue(runtime: Runtime, signal: AbortSignal): Promise<void> {
  for (const row of await leftRuns(runtime.db, runtime.now(), atOnce)) {
    if (signal.aborted) return
    const patch = await takeBack(runtime, row, signal)
    await runtime.transact((tx) => tx.updateTable('backupRun').set(patch).where('id', '=', row.id).execute())
  }
}
