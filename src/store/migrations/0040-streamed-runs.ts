/** Adds to each run the reason why its dump was streamed through Berth. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { replaceEventTriggers, watchedRuns } from './0034-events.ts'

export const streamedRuns: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table "backupRun" add column "streamed" text`.execute(db)
    await replaceEventTriggers(db, watchedRuns)
  },
}
