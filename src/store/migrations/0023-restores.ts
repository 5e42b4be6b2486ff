/** Stores why a restore has no safety dump, why a run failed, and whether work on the database interrupted a dump. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * An old row with `skipSafetyDump` does not show whether the restore went into a new database or its caller wanted no
 * safety dump. All of these rows get `NotWanted`.
 */
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
