/** Adds the label `berth.preflight` of applications. The next read of the services fills it. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { addEventTriggers, dropEventTriggers, watchedApplication } from './0034-events.ts'

export const preflights: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table "application" add column "preflight" text`.execute(db)
    await dropEventTriggers(db, watchedApplication)
    await addEventTriggers(db, watchedApplication)
  },
}
