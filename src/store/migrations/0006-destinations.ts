/** Adds destinations of backups. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const destinations: Migration = {
  async up(db: Kysely<unknown>) {
    await sql
      .raw(`create table "destination" (
      "id" text primary key, "name" text not null, "bucket" text not null, "region" text not null,
      "endpoint" text not null, "accessKey" text not null, "secrets" text not null, "createdAt" text not null)`)
      .execute(db)
  },
}
