/**
 * A restore has three steps: wait until the service runs; make a safety dump, unless the service is new, the database
 * is empty or the caller declined; load the dump. The first two steps can be repeated. The third can be repeated only
 * if the restore created the service, or if it loads the dump into a new volume.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { EngineFailure, EngineUnavailable } from '../../engine/engine.ts'
import { isTransient } from '../../engine/failures.ts'
import { viewOf } from '../../engine/view.ts'
import { findLack } from '../restores/space.ts'
import { toJson } from '../../lib/json.ts'
import { openPrivateProfile } from '../private-profile.ts'
import type { BackupRunTable } from '../table.ts'
import type { RestoredData, RunReason } from '../../dumps/run-reason.ts'
import type { Runtime } from '../../runtime.ts'
import { feedTool } from '../../dumps/archive.ts'
import { dumpStream } from './drill.ts'
import { dump } from './dump.ts'
import { clear, findOutcome, identify } from '../restores/atomic-load.ts'
import { endMove, hasNewVolume, replacesVolume, replaceVolume } from '../restores/new-volume.ts'
import { DatabaseLocked, lockForRestore } from './locks.ts'
import { checkNeeds } from './needs.ts'
import { storedManifest } from '../../dumps/manifest.ts'
import { decryptForRestore } from './decrypt-object.ts'
import { openRunStorage, type RunContext, store } from './run.ts'
import { putSettingsBack, rememberSettings } from './server-settings.ts'
import { beginSafetyDump, safetyDumpExpiry } from './safety-dump.ts'
import { NothingThere, RunFailure } from '../../dumps/failures.ts'
import { workReasonOf } from '../../databases/status.ts'
import { serverOf, readServiceForTools, readServiceWithVolume } from '../../databases/tool-server.ts'
import { discard } from './clean-up.ts'

/** How long to wait for a service that was started or created. */
const maxStartMs = 15 * 60_000
const pollMs = 500
/** The name of the container that loads the dump. */
const loaderName = (runId: string) => `berth-load-${runId}`
/** The first part of the keys of safety dumps. */
const safetyPrefix = 'berth-safety'

/** Whether a restore replaces data that others may be writing to. False if the restore created the service. */
export const replacesData = ({ action, safety }: BackupRunTable) => action === 'restore' && safety !== 'NewService'

/**
 * How a restore puts the dump in place: in a service of its own, on a new volume of an existing service, or by a program
 * of the server that replaces one of its databases.
 */
function wayOf(row: BackupRunTable): 'newService' | 'newVolume' | 'replacement' {
  if (!replacesData(row)) return 'newService'
  return replacesVolume(row.kind) ? 'newVolume' : 'replacement'
}

/** Performs a restore from the step in its row to the end. Throws DatabaseLocked if other work locks the database. */
export async function restore(run: RunContext): Promise<void> {
  // Do not load again: the database may have accepted writes since the load began, and no dump contains them.
  if (run.row.step === 'load' && replacesData(run.row) && run.row.deploymentId === null) {
    const { safetyRunId } = run.row
    throw new RunFailure({ reason: 'LoadInterrupted', safetyRunId, data: 'unknown' })
  }
  if (run.row.step === 'prepare') {
    await waitUntilUp(run)
    await checkNeeds(run)
    if (replacesData(run.row)) await checkSpace(run)
    await lockForRestore(run)
  }
  if (run.row.step === 'safety') {
    // A target that was empty in an earlier attempt may have accepted writes since.
    if (run.row.safety === 'TargetEmpty') await store(run, { safety: null })
    if (run.row.safety === null) await safetyDump(run)
  }
  await (wayOf(run.row) === 'newVolume' ? replaceVolume(run) : load(run))
}

/** Whether a run that failed may end, and what the database then has; null: the restore created the service. */
type Ending =
  | { is: 'ended'; data: RestoredData | null }
  /** Why the run has to wait: the engine or the server does not answer, or the deployment of the run is under way. */
  | { is: 'waiting'; for: 'engine' | 'server' | 'deployment' }

/**
 * Removes the job that may still be loading: a container outlives the Berth process that started it. Then finds out what the
 * database has now, and makes its server usable again. A restore that replaces the volume goes back to the old one.
 *
 * @param since when this was first tried
 */
export async function endLoad(runtime: Runtime, row: BackupRunTable, since: Date): Promise<Ending> {
  if (row.action !== 'restore') return { is: 'ended', data: null }
  if (row.step !== 'load') return { is: 'ended', data: replacesData(row) ? 'unchanged' : null }
  if (row.deploymentId !== null) {
    if (!(await endMove(runtime, row))) return { is: 'waiting', for: 'deployment' }
    return { is: 'ended', data: (await hasNewVolume(runtime, row)) ? 'replaced' : 'unchanged' }
  }
  try {
    await runtime.engine.removeJob(loaderName(row.id))
    return { is: 'ended', data: wayOf(row) === 'replacement' ? await findOutcome(runtime, row) : null }
  } catch (error) {
    if (error instanceof EngineUnavailable) return { is: 'waiting', for: 'engine' }
    if (!(error instanceof RunFailure)) throw error
    if (!replacesData(row)) return { is: 'ended', data: null }
    runtime.log.warn('cannot end a load on its server', { runId: row.id, reason: String(error) })
    const isGone = error.reason.reason === 'ServiceRemoved' || error.reason.reason === 'ServiceStopped'
    const isTooLate = runtime.now().getTime() - since.getTime() > maxStartMs
    return isGone || isTooLate ? { is: 'ended', data: row.data ?? 'unknown' } : { is: 'waiting', for: 'server' }
  }
}

/** The reason to store for a failed run. If a load failed, the reason says what the database has now. */
export function failureOf(row: BackupRunTable, cause: RunReason, data: RestoredData | null): RunReason {
  if (row.step !== 'load' || data === null) return cause
  if (cause.reason === 'LoadInterrupted') return { ...cause, data }
  return { reason: 'LoadFailed', safetyRunId: row.safetyRunId, data, cause }
}

/**
 * @throws RunFailure if the node has no room for the old and the new data, EngineUnavailable if the node cannot be asked
 * now, EngineFailure
 */
async function checkSpace({ runtime, row }: RunContext): Promise<void> {
  const { row: service, volume } = await readServiceWithVolume(runtime, row.databaseId)
  const lack = await findLack(viewOf(runtime.engine), row, service.appName, volume).catch((error: unknown) => {
    if (!(error instanceof EngineFailure && isTransient(error))) throw error
    throw new EngineUnavailable(error.message, { cause: error })
  })
  if (lack !== null) throw new RunFailure({ reason: 'SpaceMissing', node: volume.nodeName, ...lack })
}

/**
 * Waits until the service is up and no deployment is under way.
 * @throws DatabaseLocked if the database is being moved, RunFailure if the service is stopped or does not start
 */
async function waitUntilUp({ runtime, row, signal }: RunContext): Promise<void> {
  const deadlineMs = performance.now() + maxStartMs
  for (;;) {
    if (await isBeingMoved(runtime, row)) throw new DatabaseLocked('The database is being moved')
    const { row: service } = await readServiceWithVolume(runtime, row.databaseId).catch(async (error: unknown) => {
      if (!(error instanceof RunFailure) || performance.now() > deadlineMs) throw error
      return { row: null }
    })
    if (service !== null && service.goal !== 'up') throw new RunFailure({ reason: 'ServiceStoppedMeanwhile' })
    const isUp = service?.observed === 'up' || service?.observed === 'unproven'
    if (isUp && service?.deploymentId === null) return
    if (service?.applicationStatus === 'error') {
      throw new RunFailure({ reason: 'ServiceNotUp', cause: workReasonOf(service) })
    }
    if (performance.now() > deadlineMs) throw new RunFailure({ reason: 'ServiceNotUpInTime' })
    await pause(pollMs, undefined, { signal })
  }
}

/** Whether the database is being moved. The time of a move does not count towards `maxStartMs`. */
async function isBeingMoved({ db }: Runtime, { databaseId }: BackupRunTable): Promise<boolean> {
  const move = await db.selectFrom('move').select('databaseId').where('databaseId', '=', databaseId).executeTakeFirst()
  return move !== undefined
}

/**
 * Performs the safety dump as a run of its own, which is kept if the restore fails. An interrupted safety dump starts
 * again. If a good safety dump exists but the load did not begin, another is made, because the data may have changed.
 */
async function safetyDump(run: RunContext): Promise<void> {
  const { runtime, row } = run
  const interrupted = await runtime.db
    .selectFrom('backupRun')
    .selectAll()
    .where('id', '=', row.safetyRunId ?? '')
    .where('status', '=', 'running')
    .executeTakeFirst()
  const safety = interrupted ?? (await beginSafetyDump(runtime, row))
  using storage = await openRunStorage(runtime, safety)
  const inner = { ...run, row: safety, storage }
  if (interrupted !== undefined) await resetSafetyDump(inner)
  try {
    await dump(inner, safetyPrefix)
  } catch (error) {
    if (!(error instanceof NothingThere)) throw error
    return recordEmptyTarget(inner, row)
  }
  const now = runtime.now()
  await store(inner, { status: 'done', finishedAt: now.toISOString(), expiresAt: safetyDumpExpiry(runtime, now) })
}

/** Records that the target is empty, and deletes the run of the safety dump because there is no data to save. */
async function recordEmptyTarget(safety: RunContext, row: BackupRunTable): Promise<void> {
  await discard(safety, safety.row)
  const patch = { safety: 'TargetEmpty', safetyRunId: null } as const
  await safety.runtime.transact(async (tx) => {
    await tx.updateTable('backupRun').set(patch).where('id', '=', row.id).execute()
    await tx.deleteFrom('backupRun').where('id', '=', safety.row.id).execute()
  })
  Object.assign(row, patch)
}

/** Deletes what the interrupted safety dump uploaded, and returns it to its first step. */
async function resetSafetyDump(safety: RunContext): Promise<void> {
  await discard(safety, safety.row)
  await store(safety, { step: 'dump', key: null, uploadId: null })
}

/** The last step: loads the dump into the database. Stores the step before the database changes. */
async function load(run: RunContext): Promise<void> {
  const { runtime, row, signal } = run
  const { kind, image, settings, own, host, version, mask } = serverOf(
    runtime,
    await readServiceForTools(runtime, row.databaseId),
    true,
  )
  const manifest = storedManifest(row.manifest!)
  const decrypt = await decryptForRestore(runtime, row)
  const roles = manifest.contents.roles ?? []
  const { databaseSettings } = openPrivateProfile(runtime.vault, row)
  const withoutNeeds = row.withoutNeeds === 1
  const isReplaced = replacesData(row)
  const named = isReplaced ? { runId: row.id } : {}
  const place = { host, port: kind.port, database: row.database, roles, databaseSettings, withoutNeeds, ...named }
  const program = kind.backup!.restore({ settings, own }, place, version)
  const tool = { name: loaderName(row.id), recordId: row.id, image, program, mask }
  await rememberSettings(runtime, row.databaseId, mask)
  await store(run, { step: 'load', dataBefore: isReplaced ? await identify(runtime, row) : null, reason: null })
  let part: string | null = null
  try {
    await feedTool(runtime, tool, dumpStream(run, row, manifest, decrypt), signal, (found) => (part = found))
  } finally {
    // If this fails, the cleaner tries again.
    await putSettingsBack(runtime, row.databaseId)
  }
  if (part !== null) await store(run, { reason: toJson<RunReason>({ reason: 'RestartNeeded', part }) })
  if (!isReplaced) return
  await store(run, { data: 'replaced' })
  await clear(runtime, row)
}
