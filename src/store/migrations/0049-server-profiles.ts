/** Adds the private part of the profile of the dumped server to the runs of dumps. Older dumps have none. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const serverProfiles: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table "backupRun" add column "privateProfile" text`.execute(db)
  },
}
