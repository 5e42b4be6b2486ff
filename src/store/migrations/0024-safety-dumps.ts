/** Detaches safety dumps from backups and gives them an expiry. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const retentionMs = 7 * 24 * 3600_000

/** Existing safety dumps had no expiry. They expire a week after the migration. */
export const safetyDumps: Migration = {
  async up(db: Kysely<unknown>) {
    const expiresAt = new Date(Date.now() + retentionMs).toISOString()
    const statements = [
      `alter table "backupRun" add column "expiresAt" text`,
      `update "backupRun" set "backupId" = null where "trigger" = 'safety'`,
      `update "backupRun" set "expiresAt" = '${expiresAt}'
        where "trigger" = 'safety' and "status" = 'done' and "key" is not null`,
      `create index "backupRunExpires" on "backupRun" ("expiresAt") where "expiresAt" is not null`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
