/** Adds the settings that a restore has changed on a server, with the values that they had before. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const restoreSettings: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table "volume" add column "restoreSettings" text`.execute(db)
  },
}
