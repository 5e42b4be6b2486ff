/**
 * Renames the table of expired objects, which Berth still has to delete, and the column that counts the codes tried for
 * a sign-in challenge.
 */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const fieldNames: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table "lapsed" rename to "expiredObject"`.execute(db)
    await sql`alter table "token" rename column "tries" to "attempts"`.execute(db)
  },
}
