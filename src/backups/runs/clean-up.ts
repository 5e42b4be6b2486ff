/**
 * The background cleanup, concurrent with the runs: deletes the data that failed dumps uploaded, expired objects and
 * abandoned uploads, and sets the settings of servers back that a restore has changed, with retries. A failed dump whose
 * row has a key may have uploaded data; its cleanup is due at `dueAt`.
 */
import { StorageFault } from '../../lib/storage/faults.ts'
import { failedDumpsToCleanUp, type RunSummary } from '../run-queries.ts'
import type { BackupRunTable } from '../table.ts'
import type { Runtime } from '../../runtime.ts'
import { deleteExpiredObjects } from '../retention/expired.ts'
import { manifestKeyOf } from '../../dumps/manifest.ts'
import { openRunStorage, retryTime, type RunContext } from './run.ts'
import { expireSafetyDumps } from './safety-dump.ts'
import { putAllBack } from './server-settings.ts'
import { abortAbandonedUploads } from './abandoned-uploads.ts'

const cleanUpTimeoutMs = 60_000
const batchSize = 10
/** After this delay the storages have finished the calls of the previous Berth process. */
const uploadSearchDelayMs = 60_000
const uploadSearchRetryMs = 3600_000
const settingsRetryMs = 30_000

/** Deletes what a dump has uploaded: the object, its manifest and the unfinished upload. Does nothing without a key. */
export async function discard(
  { storage, signal }: Pick<RunContext, 'storage' | 'signal'>,
  { key, uploadId, step }: Pick<BackupRunTable, 'key' | 'uploadId' | 'step'>,
): Promise<void> {
  if (key === null) return
  if (uploadId !== null) await storage.abortUpload(key, uploadId, signal)
  else if (step === 'dump') await abortUnknownUploads({ storage, signal }, key)
  // The manifest first: an object without a manifest does not look like a good dump.
  await storage.remove([manifestKeyOf(key)], signal)
  await storage.remove([key], signal)
}

/**
 * Aborts the uploads of a key whose ids are unknown, because Berth may have lost the storage's answer. Leaves the
 * uploads if the storage refuses to list them.
 */
async function abortUnknownUploads(
  { storage, signal }: Pick<RunContext, 'storage' | 'signal'>,
  key: string,
): Promise<void> {
  const uploads = await storage.listUploads(key, signal).catch((error: unknown) => {
    if (error instanceof StorageFault && !error.isTransient) return []
    throw error
  })
  for (const upload of uploads) if (upload.key === key) await storage.abortUpload(key, upload.uploadId, signal)
}

/** Deletes the uploaded data of one failed dump. Never throws. @returns the columns to store in its row */
async function cleanUpRun(runtime: Runtime, row: RunSummary, signal: AbortSignal): Promise<Partial<BackupRunTable>> {
  try {
    using storage = await openRunStorage(runtime, row)
    await discard({ storage, signal: AbortSignal.any([signal, AbortSignal.timeout(cleanUpTimeoutMs)]) }, row)
    return {
      key: null,
      uploadId: null,
      sizeBytes: null,
      sha256: null,
      manifest: null,
      privateProfile: null,
      step: 'dump',
    }
  } catch (error) {
    runtime.log.warn('cannot delete the uploaded data of a failed run', { runId: row.id, reason: String(error) })
    const now = runtime.now()
    return { dueAt: retryTime(row.finishedAt ?? now.toISOString(), now) }
  }
}

export interface Cleaner {
  /** Starts a round of cleanup in the background, unless one is under way. */
  check(): void
  /** Aborts the current round and waits for its end. */
  stop(): Promise<void>
}

/** The background cleanup of failed dumps, expired objects and abandoned uploads. */
export function openCleaner(runtime: Runtime): Cleaner {
  const abort = new AbortController()
  let round: Promise<void> | null = null
  let settingsAtMs = 0
  let searchAtMs = performance.now() + uploadSearchDelayMs
  /** The destinations to search for abandoned uploads; null: all. */
  let unanswered: readonly string[] | null = null
  return {
    check() {
      round ??= runRound()
        .catch((error: unknown) => runtime.log.error('cleanup of backups failed', error))
        .finally(() => {
          round = null
        })
    },
    async stop() {
      abort.abort()
      await round
    },
  }

  async function runRound() {
    if (performance.now() >= settingsAtMs && !(await putAllBack(runtime)))
      settingsAtMs = performance.now() + settingsRetryMs
    await cleanUpDue(runtime, abort.signal)
    await expireSafetyDumps(runtime)
    await deleteExpiredObjects(runtime, null, abort.signal)
    if (abort.signal.aborted || performance.now() < searchAtMs) return
    unanswered = await abortAbandonedUploads(runtime, unanswered, abort.signal)
    searchAtMs = unanswered.length === 0 ? Infinity : performance.now() + uploadSearchRetryMs
  }
}

async function cleanUpDue(runtime: Runtime, signal: AbortSignal): Promise<void> {
  for (const row of await failedDumpsToCleanUp(runtime.db, runtime.now(), batchSize)) {
    if (signal.aborted) return
    const patch = await cleanUpRun(runtime, row, signal)
    await runtime.transact((tx) => tx.updateTable('backupRun').set(patch).where('id', '=', row.id).execute())
  }
}
