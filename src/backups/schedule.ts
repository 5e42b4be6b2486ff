/**
 * Creates the runs that are due. The store holds the next due time of each backup, so a time that was missed while
 * Berth was down is noticed after a restart. Then Berth creates one run, or one skipped run if the time is more than a
 * day ago.
 */
import { nextTime } from '../lib/text/cron.ts'
import { toJson } from '../lib/json.ts'
import { findIdentity } from './identity.ts'
import { insertRun, lastGoodOf, runColumnsOf, openRunOf } from './run-queries.ts'
import type { BackupRunTable, BackupTable } from './table.ts'
import { setDue } from './queries.ts'
import type { RunReason, SkipReason } from '../dumps/run-reason.ts'
import type { Writer } from '../store/schema.ts'
import type { Runtime } from '../runtime.ts'

const maxDelayMs = 24 * 3600_000
/** Maximum number of due dumps per turn, and of due drills per turn. The others stay due. */
const batchSize = 50

/** The column of the due time: `nextAt` for dumps, `nextVerifyAt` for drills. */
export type DueColumn = 'nextAt' | 'nextVerifyAt'

/** Creates the runs of due backups. @returns whether more may be due */
export async function createDueRuns(runtime: Runtime): Promise<boolean> {
  const counts = [await createRunsDueBy(runtime, 'nextAt'), await createRunsDueBy(runtime, 'nextVerifyAt')]
  return counts.some((count) => count === batchSize)
}

async function createRunsDueBy(runtime: Runtime, due: DueColumn): Promise<number> {
  const now = runtime.now().toISOString()
  const backups = await runtime.db
    .selectFrom('backup')
    .selectAll()
    .where(due, '<=', now)
    .orderBy(due)
    .limit(batchSize)
    .execute()
  for (const { id } of backups) await runtime.transact((tx) => createRun(runtime, tx, id, due))
  return backups.length
}

/**
 * Creates the due run of a backup, or a skipped run with the reason why none can start, and sets the next due time.
 */
async function createRun({ now, newId }: Runtime, tx: Writer, id: string, due: DueColumn): Promise<void> {
  const backup = await tx.selectFrom('backup').selectAll().where('id', '=', id).executeTakeFirst()
  const at = backup?.[due]
  if (backup === undefined || at == null || Date.parse(at) > now().getTime()) return
  await setDue(tx, id, due, nextDueTime(backup, due, now()))
  const action = due === 'nextAt' ? ('dump' as const) : ('verify' as const)
  const skip = (reason: SkipReason) =>
    insertRun(
      tx,
      {
        ...runColumnsOf(backup),
        id: newId(),
        action,
        trigger: 'schedule',
        status: 'skipped',
        reason: toJson<RunReason>(reason),
        finishedAt: now().toISOString(),
      },
      now(),
    )
  if (now().getTime() - Date.parse(at) > maxDelayMs) {
    return void (await skip({ reason: 'MissedSchedule', dueAt: at }))
  }
  const open = await openRunOf(tx, id)
  if (open !== undefined) return void (await skip({ reason: 'PreviousRunOpen', runId: open.id }))
  const source = action === 'verify' ? await drillSourceOf(tx, backup) : undefined
  if (source === null) return void (await skip({ reason: 'NothingToVerify' }))
  await insertRun(tx, { ...runColumnsOf(backup), ...source, id: newId(), action, trigger: 'schedule' }, now())
}

/**
 * The columns of a drill of the last good dump; null if there is no good dump, its object was deleted, or Berth cannot
 * decrypt it.
 */
async function drillSourceOf(tx: Writer, { id }: BackupTable): Promise<Partial<BackupRunTable> | null> {
  const last = await lastGoodOf(tx, id)
  if (last === undefined || last.key === null) return null
  const { recipient } = last
  if (recipient !== null && recipient !== (await findIdentity(tx))?.recipient) return null
  return { sourceRunId: last.id, database: last.database, recipient }
}

/** The first scheduled time after `now`, in ISO 8601; null if the backup is disabled or has no such schedule. */
export function nextDueTime(backup: BackupTable, due: DueColumn, now: Date): string | null {
  const expression = due === 'nextAt' ? backup.schedule : backup.verifySchedule
  if (backup.enabled === 0 || expression === null) return null
  return nextTime(expression, backup.timezone, now)?.toISOString() ?? null
}
