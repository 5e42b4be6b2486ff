/** One run of a backup in the hands of the loop: its row, what is stored of it on the way, and how it is called off. */
import type { BackupRunTable } from '../store/backup-schema.ts'
import type { World } from '../work/world.ts'
import type { Bucket } from '../lib/s3.ts'

export interface Running {
  world: World
  /** As it was last stored. */
  row: BackupRunTable
  bucket: Bucket
  /** Aborted when somebody cancels it, or Berth stops. */
  signal: AbortSignal
}

/** Stored before the next step begins: a crash goes on from here. */
export async function store(it: Running, patch: Partial<BackupRunTable>): Promise<void> {
  Object.assign(it.row, patch)
  await it.world.transact((tx) => tx.updateTable('backupRun').set(patch).where('id', '=', it.row.id).execute())
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
