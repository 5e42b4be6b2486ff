/** Adds the table for the installation's identity: a key of the tool `age`. The first export writes its only row. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const backupIdentity: Migration = {
  async up(db: Kysely<unknown>) {
    await sql
      .raw(`create table "backupIdentity" (
      "id" text primary key, "recipient" text not null, "identity" text not null, "createdAt" text not null,
      "exportedAt" text)`)
      .execute(db)
  },
}
