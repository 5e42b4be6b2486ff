/** Stores why a restore has no safety dump, how its load ended, and whether an attempt was interrupted. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** In old rows, a restore into a new service cannot be told from one whose caller did not want a safety dump. */
export const restores: Migration = {
  async up(db: Kysely<unknown>) {
    const statements = [
      `alter table "backupRun" add column "safety" text`,
      `update "backupRun" set "safety" = 'NotWanted' where "skipSafetyDump" = 1`,
      `alter table "backupRun" add column "fault" text`,
      `alter table "backupRun" add column "interrupted" integer not null default 0`,
      `alter table "backupRun" drop column "skipSafetyDump"`,
      // Who holds a database is asked for by each call that begins work on it.
      `create index "backupRunDatabase" on "backupRun" ("databaseId") where "finishedAt" is null`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
