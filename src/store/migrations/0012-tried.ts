/** Stores the credentials with which Berth attempted to log in to the data of a volume. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const attemptedCredentials: Migration = {
  async up(db: Kysely<unknown>) {
    await sql.raw(`alter table "volume" add column "tried" text`).execute(db)
  },
}
