/** Adds the devices from which accounts signed in, so that each has a limit of its own on wrong passwords. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const knownDevices: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create table "knownDevice" (
      "accountId" text not null references "account" ("id") on delete cascade, "hash" text not null,
      "seenAt" text not null, primary key ("accountId", "hash"))`.execute(db)
    await sql`create index "knownDeviceOfAll" on "knownDevice" ("hash")`.execute(db)
  },
}
