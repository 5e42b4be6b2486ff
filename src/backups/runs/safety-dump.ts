/**
 * Safety dumps: where the dump goes that a restore makes of its target before, and when it is deleted. It belongs to no
 * backup: no figure, drill or rule of retention of one takes it for its own.
 */
import { insertRun } from '../run-queries.ts'
import type { BackupRunTable } from '../table.ts'
import type { Reader } from '../../store/schema.ts'
import type { Runtime } from '../../runtime.ts'
import { recordLapsed } from '../retention/expired.ts'

const dayMs = 24 * 3600_000
const atOnce = 100

/** The run of the dump, which the restore `row` names from now on. */
export async function beginSafety(runtime: Runtime, row: BackupRunTable): Promise<BackupRunTable> {
  const { kind, databaseId, database } = row
  const home = await homeOf(runtime.db, row)
  const now = runtime.now()
  const safety = await runtime.transact(async (tx) => {
    const made = await insertRun(
      tx,
      {
        ...home,
        kind,
        databaseId,
        database,
        id: runtime.newId(),
        action: 'dump',
        trigger: 'safety',
        status: 'running',
        startedAt: now.toISOString(),
      },
      now,
    )
    await tx.updateTable('backupRun').set({ safetyRunId: made.id }).where('id', '=', row.id).execute()
    return made
  })
  row.safetyRunId = safety.id
  return safety
}

/** Those of the target's newest backup that is enabled; without one, those that the restore reads from. */
async function homeOf(db: Reader, row: BackupRunTable): Promise<Pick<BackupRunTable, 'destinationId' | 'recipient'>> {
  const backup = await db
    .selectFrom('backup')
    .select(['destinationId', 'recipient'])
    .where('databaseId', '=', row.databaseId)
    .where('enabled', '=', 1)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  const { destinationId, recipient } = backup ?? row
  return { destinationId, recipient }
}

/** When one that is good now is deleted. */
export const expiryOf = ({ config }: Runtime, now: Date): string =>
  new Date(now.getTime() + config.safetyDumpDays * dayMs).toISOString()

/** Those that have expired leave the list of what can be restored; their objects are deleted as lapsed ones. */
export async function expireSafetyDumps(runtime: Runtime): Promise<void> {
  const now = runtime.now()
  const rows = await runtime.db
    .selectFrom('backupRun')
    .select(['id', 'key', 'destinationId'])
    .where('expiresAt', '<=', now.toISOString())
    .where('key', 'is not', null)
    .orderBy('expiresAt')
    .limit(atOnce)
    .execute()
  for (const { id, key, destinationId } of rows) {
    await runtime.transact(async (tx) => {
      await tx.updateTable('backupRun').set({ key: null, manifest: null }).where('id', '=', id).execute()
      await recordLapsed(tx, { key: key!, destinationId, backupId: '' }, now)
    })
  }
}
