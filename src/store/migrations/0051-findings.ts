/**
 * Adds the findings of dumps, the result of the last drill of each dump, and whether a restore goes on without the
 * databases that its dump needs.
 */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { addEventTriggers, dropEventTriggers, watchedRun } from './0034-events.ts'

export const findings: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table "backupRun" add column "findings" text`.execute(db)
    await sql`alter table "backupRun" add column "verification" text`.execute(db)
    await sql`alter table "backupRun" add column "withoutNeeds" integer not null default 0`.execute(db)
    await dropEventTriggers(db, watchedRun)
    await addEventTriggers(db, watchedRun)
  },
}
