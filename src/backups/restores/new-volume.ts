/**
 * Restores into an existing service of a kind whose servers cannot replace a database in one step. The restore makes a
 * move to a new volume on the same node, on which one of the databases has the content of the dump (databases/move). So the
 * database is replaced in one transaction of the store, or not at all. The run only begins the move and waits for its end.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { enter } from '../../databases/begin-work.ts'
import { stopMove } from '../../databases/move/progress.ts'
import { insertMove } from '../../databases/move/queries.ts'
import type { RestoredDumps } from '../../databases/move/restored-dump.ts'
import { readServiceWithVolume, serverOf } from '../../databases/tool-server.ts'
import type { DatabaseFailure } from '../../deployments/reason.ts'
import { RunFailure, runReasonOf } from '../../dumps/failures.ts'
import { indispensableNeedsOf } from '../../dumps/finding-summary.ts'
import { storedManifest } from '../../dumps/manifest.ts'
import { kindNamed } from '../../kinds/index.ts'
import { fromJson, toJson } from '../../lib/json.ts'
import type { Runtime } from '../../runtime.ts'
import { openPrivateProfile } from '../private-profile.ts'
import type { BackupRunTable } from '../table.ts'
import { decryptForRestore } from '../runs/decrypt-object.ts'
import { dumpStream } from '../runs/drill.ts'
import { openRunStorage, type RunContext, store } from '../runs/run.ts'

const pollMs = 500

/** Whether restores into existing services of the kind replace the volume. */
export const replacesVolume = (kind: string): boolean => kindNamed(kind).backup?.atomicRestore === undefined

/**
 * Replaces the volume, or waits for the end of the deployment that does this, for example after a crash.
 *
 * @throws RunFailure if the deployment fails
 */
export async function replaceVolume(run: RunContext): Promise<void> {
  const { runtime, row, signal } = run
  if (row.deploymentId === null) await beginMove(run)
  let work = await workOf(runtime, row)
  while (work?.state === 'running') {
    await pause(pollMs, undefined, { signal })
    work = await workOf(runtime, row)
  }
  if (work?.state === 'done' && (await hasNewVolume(runtime, row))) return
  const recorded = await runtime.db.selectFrom('backupRun').select('reason').where('id', '=', row.id).executeTakeFirst()
  const cause = causeIn(fromJson(work?.reason ?? null) as DatabaseFailure | null)
  throw new RunFailure(fromJson(recorded?.reason ?? null) ?? { reason: 'VolumeNotReplaced', cause })
}

/** The reason of the deployment without the statement that the restore failed, which the reason of the run makes, too. */
const causeIn = (reason: DatabaseFailure | null): DatabaseFailure | null =>
  reason?.reason === 'RestoreFailed' ? reason.cause : reason

const workOf = ({ db }: Runtime, { deploymentId }: BackupRunTable) =>
  db
    .selectFrom('deployment')
    .select(['state', 'reason'])
    .where('id', '=', deploymentId ?? '')
    .executeTakeFirst()

/** Whether the database has been switched to the volume with the content of the dump. */
export async function hasNewVolume({ db }: Runtime, { databaseId, dataBefore }: BackupRunTable): Promise<boolean> {
  const database = await db
    .selectFrom('database')
    .select('volumeId')
    .where('id', '=', databaseId ?? '')
    .executeTakeFirst()
  return database !== undefined && database.volumeId !== dataBefore
}

/** Begins the deployment and stores it in the run, in one transaction. */
async function beginMove(run: RunContext): Promise<void> {
  const { runtime, row } = run
  const { newId, now } = runtime
  const patch = await runtime.transact(async (tx) => {
    const service = await readServiceWithVolume({ db: tx }, row.databaseId)
    // Throws if the service does not run.
    serverOf(runtime, service, true)
    const context = { tx, newId, now, wake: () => undefined, follow: () => undefined }
    const { deploymentId } = await enter(context, service.row, 'restore', {})
    const { nodeId, nodeName, nodeAddress, id: dataBefore } = service.volume
    const place = { nodeId, nodeName, nodeAddress, volumeId: null, step: 'prepare' } as const
    await insertMove(tx, {
      ...place,
      databaseId: service.row.id,
      deploymentId: deploymentId!,
      restoreRunId: row.id,
      inventorySum: null,
    })
    const begun = { step: 'load', deploymentId, dataBefore, reason: null } as const
    await tx.updateTable('backupRun').set(begun).where('id', '=', row.id).execute()
    return begun
  })
  // A loop that is woken before the end of the transaction does not find the move.
  runtime.wake('services')
  Object.assign(row, patch)
}

/**
 * Makes the deployment return the database to its old volume, unless it has been switched to the new one.
 *
 * @returns whether the deployment has ended
 */
export async function endMove(runtime: Runtime, row: BackupRunTable): Promise<boolean> {
  if ((await workOf(runtime, row))?.state !== 'running') return true
  await stopMove(runtime, row.deploymentId!)
  return false
}

/** Opens the dumps of restores for moves. */
export const restoredDumpsOn = (runtime: Runtime): RestoredDumps => ({
  async open(runId, signal) {
    const row = await runtime.db.selectFrom('backupRun').selectAll().where('id', '=', runId).executeTakeFirstOrThrow()
    const manifest = storedManifest(row.manifest!)
    const { contents, serverVersion } = manifest
    const decrypt = await decryptForRestore(runtime, row)
    const { databaseSettings } = openPrivateProfile(runtime.vault, row)
    const withoutNeeds = row.withoutNeeds === 1
    const storage = await openRunStorage(runtime, row)
    return {
      database: row.database,
      options: { roles: contents.roles ?? [], databaseSettings, withoutNeeds },
      contents,
      serverVersion,
      needsOthers: !withoutNeeds && indispensableNeedsOf(contents).length > 0,
      read: () => dumpStream({ runtime, row, storage, signal }, row, manifest, decrypt),
      [Symbol.dispose]: () => storage[Symbol.dispose](),
    }
  },
  async recordFailure(runId, error) {
    const row = await runtime.db.selectFrom('backupRun').selectAll().where('id', '=', runId).executeTakeFirstOrThrow()
    // The reason of a run that was ended is the first one.
    if (row.reason === null) await store({ runtime, row }, { reason: toJson(runReasonOf(error)) })
  },
})
