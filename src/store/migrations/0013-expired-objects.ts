/** Adds the table for expired dumps, whose objects have to be deleted from the storage. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const expiredObjects: Migration = {
  async up(db: Kysely<unknown>) {
    await sql
      .raw(`create table "lapsed" (
      "key" text not null, "destinationId" text not null, "backupId" text not null, "since" text not null,
      "dueAt" text not null, primary key ("destinationId", "key"))`)
      .execute(db)
  },
}
