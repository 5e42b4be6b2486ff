/** Adds an index of the restores that replaced data, to find the last one of a database. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const replacements: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create index "backupRunReplacement" on "backupRun" ("databaseId", "id")
      where "action" = 'restore' and "step" = 'load'`.execute(db)
  },
}
