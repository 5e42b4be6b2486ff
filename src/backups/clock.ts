/**
 * A clock that was set back: times that it had reached already would silence schedules and waits until they come again.
 */
import type { BackupTable } from './table.ts'
import { setDue } from './queries.ts'
import type { Reader } from '../store/schema.ts'
import type { Runtime } from '../runtime.ts'
import { retryMs } from './runs/run.ts'
import { type Due, nextOf } from './schedule.ts'

/** Times that are further ahead than they can be are set anew; none comes twice. */
export async function mendTimes(runtime: Runtime): Promise<void> {
  const backups = await runtime.db.selectFrom('backup').selectAll().where('enabled', '=', 1).execute()
  for (const backup of backups)
    for (const due of ['nextAt', 'nextVerifyAt'] as const) await mendOne(runtime, backup, due)
  await mendWaits(runtime)
}

async function mendOne({ db, transact, now }: Runtime, backup: BackupTable, due: Due): Promise<void> {
  const next = nextOf(backup, due, now())
  if (next === null || (backup[due] ?? '9') <= next) return
  const first = await firstUnmade(db, backup, due, next)
  if (first === backup[due]) return
  await transact(async (tx) => {
    const row = await tx.selectFrom('backup').select(due).where('id', '=', backup.id).executeTakeFirst()
    if (row?.[due] === backup[due]) await setDue(tx, backup.id, due, first)
  })
}

/** From this time on the first that no run was made for: between it and the one after it. */
async function firstUnmade(db: Reader, backup: BackupTable, due: Due, from: string): Promise<string> {
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
    const after = nextOf(backup, due, new Date(at)) ?? '9'
    if (!runs.some(({ createdAt }) => at <= createdAt && createdAt < after)) return at
    at = after
  }
}

/** A run that is to be tried again, and what one has left. */
async function mendWaits({ db, transact, now }: Runtime): Promise<void> {
  const rows = await db
    .selectFrom('backupRun')
    .select(['id', 'attempt', 'dueAt'])
    .where('dueAt', '>', now().toISOString())
    .where('status', 'in', ['waiting', 'running', 'error'])
    .execute()
  for (const { id, attempt, dueAt } of rows) {
    const latest = new Date(now().getTime() + (retryMs[attempt - 2] ?? 0)).toISOString()
    if (dueAt <= latest) continue
    await transact((tx) => tx.updateTable('backupRun').set({ dueAt: latest }).where('id', '=', id).execute())
  }
}
