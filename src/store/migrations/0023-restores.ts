/** Stores why a restore has no safety dump, how its load ended, and whether an attempt was interrupted. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Old rows do not show whether a restore went into a new service or whether its caller wanted no safety dump. */
export const restores: Migration = {
  async up(db: Kysely<unknown>) {
    const statements = [
      `alter table "backupRun" add column "safety" text`,
      `update "backupRun" set "safety" = 'NotWanted' where "skipSafetyDump" = 1`,
      `alter table "backupRun" add column "fault" text`,
      `alter table "backupRun" add column "interrupted" integer not null default 0`,
      `alter table "backupRun" drop column "skipSafetyDump"`,
      // Each call that starts work on a database queries its open runs.
      `create index "backupRunDatabase" on "backupRun" ("databaseId") where "finishedAt" is null`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
