/**
 * A restore, in three steps: the service runs; what it holds is dumped, unless it is a new one or holds nothing; the
 * dump replaces it. The first two can be begun anew; the last one only where the restore has made the service itself.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { EngineUnavailable } from '../../engine/engine.ts'
import { kindNamed } from '../../kinds/index.ts'
import type { BackupRunTable } from '../table.ts'
import type { LoadReason, RunReason } from '../../dumps/run-reason.ts'
import type { Runtime } from '../../runtime.ts'
import { consumed } from '../../dumps/archive.ts'
import { objectOf } from './drill.ts'
import { dump } from './dump.ts'
import { Held, hold } from './locks.ts'
import type { Manifest } from '../../dumps/manifest.ts'
import { openerOfRestore } from './open-object.ts'
import { bucketOf, type Running, store } from './run.ts'
import { beginSafety, expiryOf } from './safety-dump.ts'
import { NothingThere, RunFailure, runReasonOf } from '../../dumps/failures.ts'
import { serverOf, subjectOf } from '../../databases/tool-server.ts'
import { discard } from './clean-up.ts'

/** For a service that had to be started or made. */
const upMs = 15 * 60_000
const askAgainMs = 500
const loaderOf = (runId: string) => `berth-load-${runId}`
/** Where safety dumps lie, beside those of backups. */
const safetyPrefix = 'berth-safety'

/** Whether it replaces what others may write to meanwhile: not where the restore makes the service itself. */
const replaces = ({ action, safety }: BackupRunTable) => action === 'restore' && safety !== 'NewService'

export async function restore(it: Running): Promise<void> {
  // The database may have taken writes since: no dump holds them.
  if (it.row.step === 'load' && replaces(it.row)) {
    throw new RunFailure({ reason: 'LoadInterrupted', ...wayBack(it.row) })
  }
  if (it.row.step === 'prepare') {
    await untilUp(it)
    await hold(it)
  }
  if (it.row.step === 'safety') {
    // What was empty may have taken writes since.
    if (it.row.safety === 'TargetEmpty') await store(it, { safety: null })
    if (it.row.safety === null) await safetyDump(it)
  }
  await load(it)
}

/**
 * Ends what may still load: a container outlives the Berth that started it. Gives whether the run may end; false: the
 * engine is away, and nobody knows.
 */
export async function endLoad({ engine }: Runtime, { id, action, step }: BackupRunTable): Promise<boolean> {
  if (action !== 'restore' || step !== 'load') return true
  try {
    await engine.removeJob(loaderOf(id))
    return true
  } catch (error) {
    if (error instanceof EngineUnavailable) return false
    throw error
  }
}

/** The reason that is stored of a run that failed; once a load has begun, with the way back. */
export function failureOf(row: BackupRunTable, error: unknown): RunReason {
  const cause = runReasonOf(error)
  if (row.step !== 'load' || !replaces(row) || cause.reason === 'LoadInterrupted') return cause
  return { reason: 'LoadFailed', ...wayBack(row), cause }
}

const wayBack = ({ kind, safetyRunId }: BackupRunTable): Pick<LoadReason, 'safetyRunId' | 'isAtomic'> => ({
  safetyRunId,
  isAtomic: kindNamed(kind).backup?.isAtomic === true,
})

async function untilUp({ runtime, row, signal }: Running): Promise<void> {
  const until = performance.now() + upMs
  for (;;) {
    if (await isBeingMoved(runtime, row)) throw new Held('The database is being moved')
    const { row: service } = await subjectOf(runtime, row.databaseId).catch(async (error: unknown) => {
      if (!(error instanceof RunFailure) || performance.now() > until) throw error
      return { row: null }
    })
    if (service !== null && service.goal !== 'up') throw new RunFailure({ reason: 'ServiceStoppedMeanwhile' })
    const isUp = service?.observed === 'up' || service?.observed === 'unproven'
    if (isUp && service?.deploymentId === null) return
    if (service?.applicationStatus === 'error') {
      throw new RunFailure({ reason: 'ServiceNotUp', detail: service.statusReason })
    }
    if (performance.now() > until) throw new RunFailure({ reason: 'ServiceNotUpInTime' })
    await pause(askAgainMs, undefined, { signal })
  }
}

/** It may take longer than any service takes to come up. */
async function isBeingMoved({ db }: Runtime, { databaseId }: BackupRunTable): Promise<boolean> {
  const move = await db.selectFrom('move').select('databaseId').where('databaseId', '=', databaseId).executeTakeFirst()
  return move !== undefined
}

/**
 * A run of its own, which stays when the restore has failed: it is the way back. One that was interrupted is begun
 * anew, and after a good one that was not followed by the load there is another: the database has gone on since.
 */
async function safetyDump(it: Running): Promise<void> {
  const { runtime, row } = it
  const known = await runtime.db
    .selectFrom('backupRun')
    .selectAll()
    .where('id', '=', row.safetyRunId ?? '')
    .where('status', '=', 'running')
    .executeTakeFirst()
  const safety = known ?? (await beginSafety(runtime, row))
  using bucket = await bucketOf(runtime, safety)
  const inner = { ...it, row: safety, bucket }
  if (known !== undefined) await clear(inner)
  try {
    await dump(inner, safetyPrefix)
  } catch (error) {
    if (!(error instanceof NothingThere)) throw error
    return noteEmpty(inner, row)
  }
  const now = runtime.now()
  await store(inner, { status: 'done', finishedAt: now.toISOString(), expiresAt: expiryOf(runtime, now) })
}

/** A restore is for this case above all: nothing can be lost, and nothing is kept of the try to dump it. */
async function noteEmpty(safety: Running, row: BackupRunTable): Promise<void> {
  await discard(safety, safety.row)
  const patch = { safety: 'TargetEmpty', safetyRunId: null } as const
  await safety.runtime.transact(async (tx) => {
    await tx.updateTable('backupRun').set(patch).where('id', '=', row.id).execute()
    await tx.deleteFrom('backupRun').where('id', '=', safety.row.id).execute()
  })
  Object.assign(row, patch)
}

async function clear(safety: Running): Promise<void> {
  await discard(safety, safety.row)
  await store(safety, { step: 'dump', key: null, uploadId: null })
}

async function load(it: Running): Promise<void> {
  const { runtime, row, signal } = it
  const { kind, image, settings, host, version, mask } = serverOf(
    runtime,
    await subjectOf(runtime, row.databaseId),
    true,
  )
  const manifest = JSON.parse(row.manifest!) as Manifest
  const open = await openerOfRestore(runtime, row)
  const roles = manifest.contents.roles ?? []
  const program = kind.backup!.restore(settings, { host, port: kind.port, database: row.database, roles }, version)
  const tool = { name: loaderOf(row.id), recordId: row.id, image, program, mask }
  await store(it, { step: 'load' })
  await consumed(runtime, tool, objectOf(it, row, manifest, open), signal)
}
