/**
 * Adds what a restore into an existing database knows about it: whether it has its previous data or that of the dump, what
 * identifies the previous data, and the deployment that replaces the volume. Such a deployment is a move that belongs to
 * the run of the restore. Whether an older restore that failed has changed its database is unknown.
 */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { addEventTriggers, dropEventTriggers, watchedRun } from './0034-events.ts'

export const restoresInPlace: Migration = {
  async up(db: Kysely<unknown>) {
    for (const column of ['data', 'dataBefore', 'deploymentId'])
      await sql`alter table "backupRun" add column ${sql.id(column)} text`.execute(db)
    for (const column of ['restoreRunId', 'inventorySum'])
      await sql`alter table "move" add column ${sql.id(column)} text`.execute(db)
    await sql`update "backupRun" set "reason" = json_remove(json_set("reason", '$.data', 'unknown'), '$.isAtomic')
      where json_extract("reason", '$.reason') in ('LoadFailed', 'LoadInterrupted')`.execute(db)
    await sql`update "backupRun" set "data" = 'replaced'
      where "action" = 'restore' and "status" = 'done' and coalesce("safety", '') <> 'NewService'`.execute(db)
    await dropEventTriggers(db, watchedRun)
    await addEventTriggers(db, watchedRun)
  },
}
