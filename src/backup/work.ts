/**
 * The loop's turn over backups: what is due becomes runs, and runs are worked on, a few at once and in order. A run is
 * a row with steps; whatever ended Berth, the next turn goes on from the step in the row.
 */
import { EngineUnavailable } from '../engine/engine.ts'
import { explain, LeftUpload } from '../lib/s3.ts'
import { type BackupRunTable, stateKind } from '../store/backup-schema.ts'
import type { World } from '../work/world.ts'
import { mendTimes } from './clock.ts'
import { drill } from './drill-run.ts'
import { dump } from './dump-run.ts'
import { deleteLapsed, letGo } from './lapsed.ts'
import { restore } from './restore-run.ts'
import { bucketOf, retryMs, type Running } from './run.ts'
import { beginDue } from './schedule.ts'
import { dumpState } from './state-run.ts'
import { discard, leftovers, takeBack } from './take-back.ts'

/** More would only share the disks and the line. */
const runsAtOnce = 2
const engineAwayMs = 10_000
const signalMs = 10_000
/** By then the engine has done what it was asked. */
const tidyAgainMs = 60_000

export interface BackupsWork {
  turn(): Promise<void>
  /** Ends what is under way; it goes on when Berth is there again. */
  stop(): Promise<void>
}

interface UnderWay { ended: Promise<void>; abort: AbortController }

class Cancelled extends Error {}
class Stopping extends Error {}

/** `afterStep` is called when a run has ended, `wake` asks for another turn. */
export function backupsWork(world: World, wake: () => void, afterStep: () => void): BackupsWork {
  const underWay = new Map<string, UnderWay>()
  const left = leftovers(world)
  let tidyAt = 0
  let tidied = 0
  let lastTurn = new Date(0)
  return { turn, stop }

  async function turn() {
    if (tidied < 2 && performance.now() >= tidyAt) await tidyUp()
    const now = world.now()
    if (now < lastTurn) await mendTimes(world)
    lastTurn = now
    if (await beginDue(world)) wake()
    const open = await world.db.selectFrom('backupRun').selectAll().where('status', 'in', ['waiting', 'running'])
      .where('trigger', '!=', 'safety').where('dueAt', '<=', world.now().toISOString()).orderBy('dueAt').orderBy('id')
      .limit(100).execute()
    for (const { id, cancelled } of open) {
      if (cancelled === 1) underWay.get(id)?.abort.abort(new Cancelled('It was ended by backup.cancel'))
    }
    for (const row of open) if (underWay.size < runsAtOnce && !underWay.has(row.id)) start(row)
    left.look()
  }

  /**
   * When the engine is there: containers of runs and logins that ended with the Berth before. And once more later: the
   * engine may still have been at a call of it.
   */
  async function tidyUp() {
    await mendTimes(world)
    const rows = await Promise.all((['database', 'backupRun'] as const)
      .map((table) => world.db.selectFrom(table).select('id').limit(1).execute()))
    if (rows.flat().length > 0) {
      const left = (await world.engine.listJobs()).filter(({ attached }) => !attached)
      await Promise.all(left.map(({ name }) => world.engine.removeJob(name)))
    }
    tidied += 1
    tidyAt = performance.now() + tidyAgainMs
  }

  function start(row: BackupRunTable) {
    const abort = new AbortController()
    if (row.cancelled === 1) abort.abort(new Cancelled('It was ended by backup.cancel'))
    const ended = workOn(world, row, abort.signal).catch((error: unknown) => {
      world.log.error('a run of a backup could not be ended', error, { runId: row.id })
    }).finally(() => {
      underWay.delete(row.id)
      afterStep()
      wake()
    })
    underWay.set(row.id, { ended, abort })
  }

  async function stop() {
    for (const { abort } of underWay.values()) abort.abort(new Stopping('Berth is stopping'))
    await Promise.all([left.stop(), ...[...underWay.values()].map(({ ended }) => ended)])
  }
}

async function workOn(world: World, row: BackupRunTable, signal: AbortSignal): Promise<void> {
  const patch = { status: 'running', startedAt: row.startedAt ?? world.now().toISOString() } as const
  await world.transact((tx) => tx.updateTable('backupRun').set(patch).where('id', '=', row.id).execute())
  try {
    using bucket = await bucketOf(world, row)
    signal.throwIfAborted()
    await perform({ world, row: { ...row, ...patch }, bucket, signal })
  } catch (error) {
    if (signal.reason instanceof Stopping) return
    await fail(world, row.id, signal.aborted ? signal.reason : error)
  }
}

async function perform(it: Running): Promise<void> {
  const { world, row } = it
  const backup = await world.db.selectFrom('backup').selectAll().where('id', '=', row.backupId ?? '').executeTakeFirst()
  if (row.action === 'verify') await drill(it)
  else if (row.action === 'restore') await restore(it)
  else {
    // What a Berth that was ended in the middle has left.
    if (row.step === 'dump') await discard(it, row)
    await (row.kind === stateKind ? dumpState : dump)(it, backup?.prefix ?? 'berth')
  }
  await end(it, { status: 'done' })
  world.log.info('a run of a backup is done', { runId: row.id, action: row.action })
  if (row.action !== 'dump' || backup === undefined) return
  await noteLapsed(it, backup.id)
  if (backup.signalUrl !== null) await tell(it, backup.signalUrl)
}

async function end({ world, row }: Pick<Running, 'world' | 'row'>, patch: Partial<BackupRunTable>) {
  const now = world.now()
  await world.transact(async (tx) => {
    await tx.updateTable('backupRun').set({ ...patch, finishedAt: now.toISOString(), identity: null })
      .where('id', '=', row.id).execute()
    if (row.action === 'dump' && patch.status === 'done') await letGo(tx, row, now)
  })
}

/** A scheduled run is tried again, one that somebody asked for tells him at once. */
async function fail(world: World, runId: string, error: unknown): Promise<void> {
  const row = await world.db.selectFrom('backupRun').selectAll().where('id', '=', runId).executeTakeFirstOrThrow()
  const isCancelled = error instanceof Cancelled
  if (error instanceof EngineUnavailable && !isCancelled) {
    return wait(world, row, engineAwayMs, { reason: error.message })
  }
  const reason = reasonOf(world, row, error)
  await failSafety(world, row, reason)
  const left = await takeBack(world, row)
  const retry = row.trigger === 'schedule' && !isCancelled ? retryMs[row.attempt - 1] : undefined
  if (retry !== undefined) return wait(world, row, retry, { ...left, reason, attempt: row.attempt + 1 })
  await end({ world, row }, { ...left, status: 'error', reason })
}

/** The dump that a restore makes before is a run of its own: one that the restore failed in does not stay open. */
async function failSafety(world: World, { safetyRunId }: BackupRunTable, reason: string): Promise<void> {
  const row = await world.db.selectFrom('backupRun').selectAll().where('id', '=', safetyRunId ?? '')
    .where('status', '=', 'running').executeTakeFirst()
  if (row !== undefined) await end({ world, row }, { ...await takeBack(world, row), status: 'error', reason })
}

async function wait(
  world: World, { id }: BackupRunTable, ms: number, patch: Partial<BackupRunTable>,
): Promise<void> {
  const dueAt = new Date(world.now().getTime() + ms).toISOString()
  await world.transact((tx) => tx.updateTable('backupRun').set({ ...patch, status: 'waiting', dueAt })
    .where('id', '=', id).execute())
}

/** Of an upload that was left the cause is told: what it left is taken back later. */
function reasonOf({ log }: World, { id }: BackupRunTable, error: unknown): string {
  log.error('a run of a backup failed', error, { runId: id })
  return (error instanceof LeftUpload ? explain(error.cause) : (error as Error).message).slice(0, 2000)
}

/** Of the older ones that went with this run, what the storage says. */
async function noteLapsed({ world, row, signal }: Running, backupId: string): Promise<void> {
  const fault = await deleteLapsed(world, backupId, signal)
  if (fault === null || signal.aborted) return
  const reason = `It is good, but an older one could not be deleted: ${fault}`
  await world.transact((tx) => tx.updateTable('backupRun').set({ reason }).where('id', '=', row.id).execute())
}

async function tell({ world, row }: Running, url: string): Promise<void> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(signalMs), redirect: 'follow' })
    await answer.body?.cancel()
    if (!answer.ok) throw new Error(`it answered ${answer.status}`)
  } catch (error) {
    world.log.warn('nobody could be told of a good run', { runId: row.id, reason: String(error) })
  }
}
