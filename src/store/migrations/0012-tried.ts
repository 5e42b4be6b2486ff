/** Stores the credentials that were tried on a volume. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const tried: Migration = {
  async up(db: Kysely<unknown>) {
    await sql.raw(`alter table "volume" add column "tried" text`).execute(db)
  },
}
