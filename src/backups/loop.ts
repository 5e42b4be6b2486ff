/**
 * The loop over backups: what is due becomes runs, and runs are worked on in order, so many at once as there is
 * room for (room.ts), each until its deadline. A run is a row with steps; whatever ended Berth, the next turn goes on
 * from the step in the row.
 */
import { EngineUnavailable } from '../engine/engine.ts'
import { toJson } from '../lib/json.ts'
import type { Loop } from '../lib/async/loop.ts'
import type { BackupRunTable } from './table.ts'
import type { RunReason } from '../dumps/run-reason.ts'
import type { Runtime } from '../runtime.ts'
import { mendTimes } from './clock.ts'
import { drill } from './runs/drill.ts'
import { dump } from './runs/dump.ts'
import { RunFailure, runReasonOf } from '../dumps/failures.ts'
import { deleteExpired, letGo } from './retention/expired.ts'
import { begin, Held, heldMs } from './runs/locks.ts'
import { endLoad, failureOf, restore } from './runs/restore.ts'
import { type Candidate, nextRuns, type Places } from './runs/next-runs.ts'
import { bucketOf, retryMs, type Running, store } from './runs/run.ts'
import { beginDue } from './schedule.ts'
import { callSignalUrl } from './runs/signal.ts'
import { discard, leftovers } from './runs/clean-up.ts'

/** A run during which Berth ended is begun again so often. */
const maxResumed = 5
const engineAwayMs = 10_000
/** By then the engine has done what it was asked. */
const tidyAgainMs = 60_000

interface UnderWay extends Places {
  ended: Promise<void>
  abort: AbortController
}

class Stopping extends Error {}
class Interrupted extends Error {}

const calledOff = () => new RunFailure({ reason: 'Cancelled' })
/** To do the same again would end the same. */
const finalReasons: readonly RunReason['reason'][] = ['Cancelled', 'InterruptedTooOften', 'TookTooLong']

/** The steps of a dump, from the row of its run. The key of the object begins with `prefix`. */
type MakeDump = (it: Running, prefix: string) => Promise<void>

/** @param dumpState makes a backup of Berth's own state */
export function backupsLoop(runtime: Runtime, dumpState: MakeDump): Loop<'backups'> {
  const runs = runsUnderWay(runtime, dumpState)
  const left = leftovers(runtime)
  const tidyUp = tidierOf(runtime)
  let lastTurn = new Date(0)
  return {
    name: 'backups',
    periodMs: 1000,
    async turn() {
      await tidyUp()
      const now = runtime.now()
      if (now < lastTurn) await mendTimes(runtime)
      lastTurn = now
      const isDue = await beginDue(runtime)
      await runs.callOff()
      await runs.startNext()
      left.look()
      return isDue ? 'again' : 'idle'
    },
    stop: async () => void (await Promise.all([left.stop(), runs.stop()])),
  }
}

/**
 * When the engine is there: containers of runs and logins that ended with the Berth before. And once more later: the
 * engine may still have been at a call of it.
 */
function tidierOf(runtime: Runtime): () => Promise<void> {
  let tidyAt = 0
  let tidied = 0
  return async () => {
    if (tidied >= 2 || performance.now() < tidyAt) return
    await mendTimes(runtime)
    await removeLeftJobs(runtime)
    tidied += 1
    tidyAt = performance.now() + tidyAgainMs
  }
}

/** Each run takes its own time; it goes on when Berth is there again. */
function runsUnderWay(runtime: Runtime, dumpState: MakeDump) {
  const underWay = new Map<string, UnderWay>()
  const { concurrency, totalMs } = runtime.config.backups
  return { callOff, startNext, stop }

  /** Those that somebody cancelled, or that have to make way for work on their service. */
  async function callOff() {
    const stopped = await runtime.db
      .selectFrom('backupRun')
      .select(['id', 'cancelled'])
      .where('id', 'in', [...underWay.keys()])
      .where((is) => is.or([is('cancelled', '=', 1), is('interrupted', '=', 1)]))
      .execute()
    for (const { id, cancelled } of stopped) {
      underWay.get(id)?.abort.abort(cancelled === 1 ? calledOff() : new Interrupted('Work on its service has begun'))
    }
  }

  async function startNext() {
    for (const it of await nextRuns(runtime.db, underWay, concurrency, runtime.now())) start(it)
  }

  function start({ id, cancelled, nodeId, destinationId }: Candidate) {
    const abort = new AbortController()
    if (cancelled === 1) abort.abort(calledOff())
    const timer = setTimeout(
      () => abort.abort(new RunFailure({ reason: 'TookTooLong', seconds: totalMs / 1000 })),
      totalMs,
    )
    const ended = workOn(runtime, id, dumpState, abort.signal)
      .catch((error: unknown) => {
        runtime.log.error('a run of a backup could not be ended', error, { runId: id })
      })
      .finally(() => {
        clearTimeout(timer)
        // What still runs beside a part that failed ends with it.
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

async function removeLeftJobs({ db, engine }: Runtime): Promise<void> {
  const rows = await Promise.all(
    (['database', 'backupRun'] as const).map((table) => db.selectFrom(table).select('id').limit(1).execute()),
  )
  if (rows.flat().length === 0) return
  const left = (await engine.listJobs()).filter(({ attached }) => !attached)
  await Promise.all(left.map(({ name }) => engine.removeJob(name)))
}

async function workOn(runtime: Runtime, id: string, dumpState: MakeDump, signal: AbortSignal): Promise<void> {
  const row = await runtime.db.selectFrom('backupRun').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const { unfinishedStarts } = row
  const startedAt = row.startedAt ?? runtime.now().toISOString()
  const patch = { status: 'running', startedAt, unfinishedStarts: unfinishedStarts + 1, interrupted: 0 } as const
  if (!(await begin(runtime, row, patch))) return
  try {
    // What it reads may be what ends Berth.
    if (unfinishedStarts > maxResumed) {
      throw new RunFailure({ reason: 'InterruptedTooOften', times: unfinishedStarts })
    }
    using bucket = await bucketOf(runtime, row)
    signal.throwIfAborted()
    await perform({ runtime, row: { ...row, ...patch }, bucket, signal }, dumpState)
  } catch (error) {
    if (signal.reason instanceof Stopping) return store({ runtime, row }, { unfinishedStarts })
    await fail(runtime, row.id, signal.aborted ? signal.reason : error)
  }
}

async function perform(it: Running, dumpState: MakeDump): Promise<void> {
  const { runtime, row } = it
  const backup = await runtime.db
    .selectFrom('backup')
    .selectAll()
    .where('id', '=', row.backupId ?? '')
    .executeTakeFirst()
  if (row.action === 'verify') await drill(it)
  else if (row.action === 'restore') await restore(it)
  else {
    // What a Berth that was ended in the middle has left.
    if (row.step === 'dump' && row.key !== null) {
      await discard(it, row)
      await store(it, { key: null, uploadId: null })
    }
    await (row.subjectKind === 'installation' ? dumpState : dump)(it, backup?.prefix ?? 'berth')
  }
  // Why an earlier attempt failed is over; the result of a drill stays.
  await end(it, { status: 'done', reason: row.action === 'verify' ? row.reason : null })
  runtime.log.info('a run of a backup is done', { runId: row.id, action: row.action })
  if (row.action !== 'dump' || backup === undefined) return
  await recordExpired(it, backup.id)
  if (backup.signalUrl !== null) await callSignalUrl(runtime, row.id, backup.signalUrl)
}

async function end({ runtime, row }: Pick<Running, 'runtime' | 'row'>, patch: Partial<BackupRunTable>) {
  const now = runtime.now()
  const isGoodDump = row.action === 'dump' && patch.status === 'done'
  // Only of a dump that exists the manifest is needed later.
  const rest = { finishedAt: now.toISOString(), identity: null, ...(isGoodDump ? {} : { manifest: null }) }
  await runtime.transact(async (tx) => {
    await tx
      .updateTable('backupRun')
      .set({ ...patch, ...rest })
      .where('id', '=', row.id)
      .execute()
    if (isGoodDump) await letGo(tx, row, now)
  })
}

/**
 * A scheduled run is tried again, one that somebody asked for tells him at once. What it has sent is taken back after
 * that (take-back.ts), however long the storage is away: its key stays in the row until then.
 */
async function fail(runtime: Runtime, runId: string, error: unknown): Promise<void> {
  const row = await runtime.db.selectFrom('backupRun').selectAll().where('id', '=', runId).executeTakeFirstOrThrow()
  const { reason: name } = runReasonOf(error)
  const isCancelled = name === 'Cancelled'
  // The server may have ended before the tool was told to.
  if (!isCancelled && (row.interrupted === 1 || error instanceof Held)) {
    return wait(runtime, row, heldMs, { interrupted: 0 })
  }
  if (error instanceof EngineUnavailable) return waitForEngine(runtime, row, error.message)
  if (!(await endLoad(runtime, row))) return waitForEngine(runtime, row, 'The engine does not answer')
  runtime.log.error('a run of a backup failed', error, { runId: row.id })
  const reason = toJson(failureOf(row, error))
  await failSafety(runtime, row, reason)
  const isFinal = finalReasons.includes(name)
  const retry = row.trigger === 'schedule' && !isFinal ? retryMs[row.attempt - 1] : undefined
  // A dump begins anew, and takes back first what this attempt has sent.
  const step = row.action === 'dump' ? 'dump' : row.step
  if (retry !== undefined) return wait(runtime, row, retry, { reason, step, attempt: row.attempt + 1 })
  await end({ runtime, row }, { reason, status: 'error', dueAt: runtime.now().toISOString() })
}

/** The dump that a restore makes before is a run of its own: one that the restore failed in does not stay open. */
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

async function wait(runtime: Runtime, row: BackupRunTable, ms: number, patch: Partial<BackupRunTable>): Promise<void> {
  const dueAt = new Date(runtime.now().getTime() + ms).toISOString()
  await store({ runtime, row }, { ...patch, status: 'waiting', dueAt, unfinishedStarts: 0 })
}

const waitForEngine = (runtime: Runtime, row: BackupRunTable, detail: string) =>
  wait(runtime, row, engineAwayMs, { reason: toJson<RunReason>({ reason: 'EngineUnavailable', detail }) })

/** Of the older ones that went with this run, what the storage says. */
async function recordExpired({ runtime, row, signal }: Running, backupId: string): Promise<void> {
  const fault = await deleteExpired(runtime, backupId, signal)
  if (fault === null || signal.aborted) return
  await store({ runtime, row }, { reason: toJson<RunReason>({ reason: 'OlderDumpNotDeleted', detail: fault }) })
}
