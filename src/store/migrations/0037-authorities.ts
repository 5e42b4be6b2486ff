/** Adds the certificate authorities. Berth creates them at the start after this migration. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const authorities: Migration = {
  async up(db: Kysely<unknown>) {
    const statements = [
      `create table "authority" (
        "name" text not null, "generation" integer not null, "state" text not null, "certificatePem" text not null,
        "key" text, "createdAt" text not null, "notAfter" text not null, primary key ("name", "generation"))`,
      `create unique index "authorityState" on "authority" ("name", "state")`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
