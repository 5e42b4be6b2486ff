/**
 * Corrects due times after the clock was set back. Without this, schedules and retries would pause until the clock
 * reaches the old times again.
 */
import { futureFrom } from '../clock/trust.ts'
import type { BackupTable } from './table.ts'
import { setDue } from './queries.ts'
import { correctDeletionTimes } from './retention/expired.ts'
import type { Reader, Writer } from '../store/schema.ts'
import type { Runtime } from '../runtime.ts'
import { retryMs } from './runs/run.ts'
import { type DueColumn, nextDueTime } from './schedule.ts'

/** Stands for a time that never comes: as text, it sorts after all ISO 8601 times before the year 9000. */
const never = '9'

/**
 * Recalculates due times that are later than their schedule or their retry wait allows. A scheduled time that has a
 * run gets no second run.
 */
export async function correctDueTimes(runtime: Runtime): Promise<void> {
  const backups = await runtime.db.selectFrom('backup').selectAll().where('enabled', '=', 1).execute()
  for (const backup of backups)
    for (const due of ['nextAt', 'nextVerifyAt'] as const) await correctDueTime(runtime, backup, due)
  await correctRetryTimes(runtime)
}

async function correctDueTime({ db, transact, now }: Runtime, backup: BackupTable, due: DueColumn): Promise<void> {
  const next = nextDueTime(backup, due, now())
  if (next === null || (backup[due] ?? never) <= next) return
  const first = await firstTimeWithoutRun(db, backup, due, next)
  if (first === backup[due]) return
  await transact(async (tx) => {
    const row = await tx.selectFrom('backup').select(due).where('id', '=', backup.id).executeTakeFirst()
    if (row?.[due] === backup[due]) await setDue(tx, backup.id, due, first)
  })
}

/**
 * The first scheduled time at or after `from` that has no run. A scheduled time has a run if the schedule created one
 * between this time and the next scheduled time. Skipped runs do not count.
 */
async function firstTimeWithoutRun(db: Reader, backup: BackupTable, due: DueColumn, from: string): Promise<string> {
  const runs = await db
    .selectFrom('backupRun')
    .select('createdAt')
    .where('backupId', '=', backup.id)
    .where('action', '=', due === 'nextAt' ? 'dump' : 'verify')
    .where('trigger', '=', 'schedule')
    .where('status', '!=', 'skipped')
    .where('createdAt', '>=', from)
    .execute()
  for (let at = from; ; ) {
    const after = nextDueTime(backup, due, new Date(at)) ?? never
    if (!runs.some(({ createdAt }) => at <= createdAt && createdAt < after)) return at
    at = after
  }
}

/** Corrects the due times of open runs, and of failed dumps whose uploaded data is not deleted yet. */
async function correctRetryTimes({ db, transact, now }: Runtime): Promise<void> {
  const rows = await db
    .selectFrom('backupRun')
    .select(['id', 'attempt', 'dueAt'])
    .where('dueAt', '>', now().toISOString())
    .where('status', 'in', ['waiting', 'running', 'error'])
    .execute()
  for (const { id, attempt, dueAt } of rows) {
    // `retryMs` begins with the wait before attempt 2. In attempt 1, the row becomes due now.
    const latest = new Date(now().getTime() + (retryMs[attempt - 2] ?? 0)).toISOString()
    if (dueAt <= latest) continue
    await transact((tx) => tx.updateTable('backupRun').set({ dueAt: latest }).where('id', '=', id).execute())
  }
}

/** Corrects the times of runs that ended while the clock was ahead. A safety dump keeps its remaining days. */
export async function correctFutureRuns(tx: Writer, now: Date): Promise<void> {
  const at = now.toISOString()
  const rows = await tx
    .selectFrom('backupRun')
    .select(['id', 'finishedAt', 'expiresAt'])
    .where('finishedAt', '>', futureFrom(now))
    .execute()
  for (const { id, finishedAt, expiresAt } of rows) {
    const keptMs = expiresAt === null ? null : Date.parse(expiresAt) - Date.parse(finishedAt!)
    const expiry = keptMs === null ? null : new Date(now.getTime() + keptMs).toISOString()
    await tx.updateTable('backupRun').set({ finishedAt: at, expiresAt: expiry }).where('id', '=', id).execute()
  }
  await correctDeletionTimes(tx, now)
}
