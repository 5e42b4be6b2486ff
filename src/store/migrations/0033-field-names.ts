/** Renames a table and a column: expired objects of a backup, and attempts at a challenge. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const fieldNames: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table "lapsed" rename to "expiredObject"`.execute(db)
    await sql`alter table "token" rename column "tries" to "attempts"`.execute(db)
  },
}
