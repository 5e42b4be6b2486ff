/**
 * The loop of backups. It creates the runs that are due and works on several runs at a time, in the order of their due
 * times (runs/next-runs.ts). A time limit ends a run that takes too long. The row of a run stores its step. After a
 * crash, the run resumes at this step. The loop also starts the cleanup in the background (runs/clean-up.ts).
 */
import { EngineUnavailable } from '../engine/engine.ts'
import { fromJson, toJson } from '../lib/json.ts'
import type { Loop } from '../lib/async/loop.ts'
import { type BackupRunTable, runActions } from './table.ts'
import type { RunReason } from '../dumps/run-reason.ts'
import type { Runtime } from '../runtime.ts'
import { correctDueTimes } from './clock.ts'
import { drill } from './runs/drill.ts'
import { dump } from './runs/dump.ts'
import { RunFailure, runReasonOf } from '../dumps/failures.ts'
import { deleteExpiredObjects, expireOlderDumps } from './retention/expired.ts'
import { startIfUnlocked, DatabaseLocked, lockRetryMs } from './runs/locks.ts'
import { endLoad, failureOf, replacesData, restore } from './runs/restore.ts'
import { type Candidate, nextRuns, type RunResources } from './runs/next-runs.ts'
import { openRunStorage, retryMs, type RunContext, store } from './runs/run.ts'
import { createDueRuns } from './schedule.ts'
import { callSignalUrl } from './runs/signal-url.ts'
import { discard, openCleaner } from './runs/clean-up.ts'
import { recordVerification } from './runs/verification.ts'

/** How many times Berth restarts a run during which Berth crashed. */
const maxRestarts = 5
const engineRetryMs = 10_000
/** After this delay the engine has finished the calls of the previous Berth process. */
const jobCleanupDelayMs = 60_000

interface ActiveRun extends RunResources {
  ended: Promise<void>
  abort: AbortController
}

/** The run is aborted because Berth is stopping. */
class Stopping extends Error {}
/** The run is aborted because work on its service has begun. */
class Interrupted extends Error {}

const cancellation = () => new RunFailure({ reason: 'Cancelled' })
/** A run that ended for one of these reasons is not retried. */
const finalReasons: readonly RunReason['reason'][] = ['Cancelled', 'InterruptedTooOften', 'TookTooLong']

/** Performs a dump from the step in its row to the end. The key of the object begins with `prefix`. */
type PerformDump = (run: RunContext, prefix: string) => Promise<void>

/** @param dumpState performs a backup of Berth's own state */
export function backupsLoop(runtime: Runtime, dumpState: PerformDump): Loop<'backups'> {
  const runs = runsUnderWay(runtime, dumpState)
  const cleaner = openCleaner(runtime)
  const cleanUpAfterStart = startupCleanup(runtime)
  let lastTurn = new Date(0)
  return {
    name: 'backups',
    periodMs: 1000,
    async turn() {
      if (runtime.gate.reason('read') !== null) return runs.stop().then(() => 'idle' as const)
      await cleanUpAfterStart()
      const now = runtime.now()
      if (now < lastTurn) await correctDueTimes(runtime)
      lastTurn = now
      const isDue = await createDueRuns(runtime)
      await runs.abortStopped()
      await runs.startNext()
      if (runtime.gate.reason() === null) cleaner.check()
      return isDue ? 'again' : 'idle'
    },
    stop: async () => void (await Promise.all([cleaner.stop(), runs.stop()])),
  }
}

/**
 * Returns a function that each turn calls. The function corrects the due times, because the clock may have been set
 * back while Berth was down, and removes the job containers of the previous Berth process. It does this as soon as the
 * engine answers, and once more after a delay, because the engine may still have been working on calls of that process.
 * Later calls do nothing.
 */
function startupCleanup(runtime: Runtime): () => Promise<void> {
  let dueAtMs = 0
  let rounds = 0
  return async () => {
    if (rounds >= 2 || performance.now() < dueAtMs) return
    await correctDueTimes(runtime)
    await removeDetachedJobs(runtime)
    rounds += 1
    dueAtMs = performance.now() + jobCleanupDelayMs
  }
}

/** The runs that Berth works on now, concurrently. If Berth stops, these runs resume after the next start. */
function runsUnderWay(runtime: Runtime, dumpState: PerformDump) {
  const underWay = new Map<string, ActiveRun>()
  const { concurrency, totalMs } = runtime.config.backups
  return { abortStopped, startNext, stop }

  /** Aborts runs that were cancelled, and dumps that were interrupted by work on their service. */
  async function abortStopped() {
    const stopped = await runtime.db
      .selectFrom('backupRun')
      .select(['id', 'cancelled'])
      .where('id', 'in', [...underWay.keys()])
      .where((eb) => eb.or([eb('cancelled', '=', 1), eb('interrupted', '=', 1)]))
      .execute()
    for (const { id, cancelled } of stopped) {
      underWay.get(id)?.abort.abort(cancelled === 1 ? cancellation() : new Interrupted('Work on the service has begun'))
    }
  }

  async function startNext() {
    const actions = runtime.gate.reason() === null ? runActions : (['dump'] as const)
    for (const candidate of await nextRuns(runtime.db, underWay, concurrency, actions, runtime.now())) start(candidate)
  }

  function start({ id, cancelled, nodeId, destinationId }: Candidate) {
    const abort = new AbortController()
    if (cancelled === 1) abort.abort(cancellation())
    const timer = setTimeout(
      () => abort.abort(new RunFailure({ reason: 'TookTooLong', seconds: totalMs / 1000 })),
      totalMs,
    )
    const ended = workOn(runtime, id, dumpState, abort.signal)
      .catch((error: unknown) => {
        runtime.log.error('cannot record the end of a backup run', error, { runId: id })
      })
      .finally(() => {
        clearTimeout(timer)
        // Parallel work of a run that failed must not outlive the run.
        abort.abort()
        underWay.delete(id)
        runtime.wake('backups')
      })
    underWay.set(id, { ended, abort, nodeId, destinationId })
  }

  async function stop() {
    for (const { abort } of underWay.values()) abort.abort(new Stopping('Berth is stopping'))
    await Promise.all([...underWay.values()].map(({ ended }) => ended))
  }
}

/**
 * Removes the job containers of the previous Berth process. Does not call the engine while there are no databases and
 * no runs.
 */
async function removeDetachedJobs({ db, engine }: Runtime): Promise<void> {
  const rows = await Promise.all(
    (['database', 'backupRun'] as const).map((table) => db.selectFrom(table).select('id').limit(1).execute()),
  )
  if (rows.flat().length === 0) return
  const detached = (await engine.listJobs()).filter(({ attached }) => !attached)
  await Promise.all(detached.map(({ name }) => engine.removeJob(name)))
}

/**
 * Performs a run from the step in its row to the end, and records the outcome. If the database is locked, the run
 * waits.
 */
async function workOn(runtime: Runtime, id: string, dumpState: PerformDump, signal: AbortSignal): Promise<void> {
  const row = await runtime.db.selectFrom('backupRun').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const { unfinishedStarts } = row
  const startedAt = row.startedAt ?? runtime.now().toISOString()
  const patch = { status: 'running', startedAt, unfinishedStarts: unfinishedStarts + 1, interrupted: 0 } as const
  if (!(await startIfUnlocked(runtime, row, patch))) return
  try {
    // The data of this run may be what makes Berth crash.
    if (unfinishedStarts > maxRestarts) {
      throw new RunFailure({ reason: 'InterruptedTooOften', times: unfinishedStarts })
    }
    using storage = await openRunStorage(runtime, row)
    signal.throwIfAborted()
    await perform({ runtime, row: { ...row, ...patch }, storage, signal }, dumpState)
  } catch (error) {
    // An orderly stop is no crash, so this start is not counted as unfinished.
    if (signal.reason instanceof Stopping) return store({ runtime, row }, { unfinishedStarts })
    await fail(runtime, row.id, signal.aborted ? signal.reason : error)
  }
}

async function perform(run: RunContext, dumpState: PerformDump): Promise<void> {
  const { runtime, row } = run
  const backup = await runtime.db
    .selectFrom('backup')
    .selectAll()
    .where('id', '=', row.backupId ?? '')
    .executeTakeFirst()
  if (row.action === 'verify') await drill(run)
  else if (row.action === 'restore') await restore(run)
  else {
    // An earlier attempt did not finish and may have left an object or an upload.
    if (row.step === 'dump' && row.key !== null) {
      await discard(run, row)
      await store(run, { key: null, uploadId: null })
    }
    await (row.subjectKind === 'installation' ? dumpState : dump)(run, backup?.prefix ?? 'berth')
  }
  // Clear the reason why an earlier attempt failed, but keep the result of a drill or a restore.
  const data = row.action === 'restore' && replacesData(row) ? 'replaced' : null
  await end(run, { status: 'done', reason: row.action === 'dump' ? null : row.reason, data })
  runtime.log.info('backup run succeeded', { runId: row.id, action: row.action })
  if (row.action !== 'dump' || backup === undefined) return
  await deleteExpiredDumps(run, backup.id)
  if (backup.signalUrl !== null) await callSignalUrl(runtime, row.id, backup.signalUrl)
}

async function end({ runtime, row }: Pick<RunContext, 'runtime' | 'row'>, patch: Partial<BackupRunTable>) {
  const now = runtime.now()
  const isGoodDump = row.action === 'dump' && patch.status === 'done'
  // After the end of a run, only the manifest of a good dump is needed.
  const columns = {
    finishedAt: now.toISOString(),
    identity: null,
    ...(isGoodDump ? {} : { manifest: null, privateProfile: null }),
  }
  await runtime.transact(async (tx) => {
    await tx
      .updateTable('backupRun')
      .set({ ...patch, ...columns })
      .where('id', '=', row.id)
      .execute()
    await recordVerification(tx, { ...row, ...patch })
    if (isGoodDump && runtime.gate.reason() === null) await expireOlderDumps(tx, row, now, runtime.clock.trusted())
  })
}

/**
 * Records a failed attempt. A run that was interrupted, or that waits for a lock or for the engine, repeats this
 * attempt. Otherwise a scheduled run gets another attempt, unless this was the last one or the reason is final. All
 * other runs end with an error. The data that a failed dump uploaded is deleted later (runs/clean-up.ts); the key stays
 * in the row until the storage has confirmed the deletion.
 */
async function fail(runtime: Runtime, runId: string, error: unknown): Promise<void> {
  const row = await runtime.db.selectFrom('backupRun').selectAll().where('id', '=', runId).executeTakeFirstOrThrow()
  const { reason: code } = runReasonOf(error)
  const isCancelled = code === 'Cancelled'
  // Work on the service may stop the server. The tool may then fail before this loop aborts the run.
  if (!isCancelled && (row.interrupted === 1 || error instanceof DatabaseLocked)) {
    return wait(runtime, row, lockRetryMs, { interrupted: 0 })
  }
  if (error instanceof EngineUnavailable) return waitForEngine(runtime, row, error.message)
  const stored = fromJson(row.reason)
  const awaited = stored?.reason === 'AwaitingServer' ? stored : null
  const cause = awaited?.cause ?? runReasonOf(error)
  const since = awaited?.since ?? runtime.now().toISOString()
  const ending = await endLoad(runtime, row, new Date(since))
  if (ending.is === 'waiting') {
    if (ending.for === 'engine') return waitForEngine(runtime, row, 'The engine does not answer')
    if (ending.for === 'deployment') return wait(runtime, row, lockRetryMs, { reason: row.reason ?? toJson(cause) })
    return wait(runtime, row, engineRetryMs, { reason: toJson<RunReason>({ reason: 'AwaitingServer', since, cause }) })
  }
  const { data } = ending
  // The dump was loaded, although the end of the load was not seen.
  if (data === 'replaced' && row.deploymentId === null) {
    return end({ runtime, row }, { status: 'done', reason: null, data })
  }
  runtime.log.error('backup run failed', error, { runId: row.id })
  const reason = toJson(failureOf(row, cause, data))
  await failSafety(runtime, row, reason)
  const isFinal = finalReasons.includes(code)
  const retry = row.trigger === 'schedule' && !isFinal ? retryMs[row.attempt - 1] : undefined
  // The next attempt of a dump starts from the beginning. It first deletes what this attempt uploaded.
  const step = row.action === 'dump' ? 'dump' : row.step
  if (retry !== undefined) return wait(runtime, row, retry, { reason, step, attempt: row.attempt + 1 })
  const ended = { reason, status: 'error', dueAt: runtime.now().toISOString() } as const
  await end({ runtime, row }, { ...ended, data: data === 'unknown' ? null : data })
}

/** Ends the run of the safety dump if a restore failed during its safety dump. */
async function failSafety(
  runtime: Runtime,
  { safetyRunId }: BackupRunTable,
  reason: BackupRunTable['reason'],
): Promise<void> {
  const row = await runtime.db
    .selectFrom('backupRun')
    .selectAll()
    .where('id', '=', safetyRunId ?? '')
    .where('status', '=', 'running')
    .executeTakeFirst()
  if (row !== undefined) await end({ runtime, row }, { reason, status: 'error', dueAt: runtime.now().toISOString() })
}

/** Sets the run to wait for `ms`, and resets its unfinished starts. */
async function wait(runtime: Runtime, row: BackupRunTable, ms: number, patch: Partial<BackupRunTable>): Promise<void> {
  const dueAt = new Date(runtime.now().getTime() + ms).toISOString()
  await store({ runtime, row }, { ...patch, status: 'waiting', dueAt, unfinishedStarts: 0 })
}

const waitForEngine = (runtime: Runtime, row: BackupRunTable, detail: string) =>
  wait(runtime, row, engineRetryMs, { reason: toJson<RunReason>({ reason: 'EngineUnavailable', detail }) })

/** Deletes the expired dumps of the backup. Stores the first error, if there is one, as the reason of the run. */
async function deleteExpiredDumps({ runtime, row, signal }: RunContext, backupId: string): Promise<void> {
  const fault = await deleteExpiredObjects(runtime, backupId, signal)
  if (fault === null || signal.aborted) return
  await store({ runtime, row }, { reason: toJson<RunReason>({ reason: 'OlderDumpNotDeleted', detail: fault }) })
}
