/** Adds details to the entries of the audit log: the beginning and the end of a session. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const sessions: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table "audit" add column "details" text`.execute(db)
  },
}
