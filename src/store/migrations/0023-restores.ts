/** What a restore needs to know of itself: why there is no safety dump, how a load ended, and what ended a try. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Of a restore of before, a new service and one whose safety dump somebody did not want cannot be told apart. */
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
