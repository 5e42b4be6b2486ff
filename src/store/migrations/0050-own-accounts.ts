/**
 * Adds the account that Berth makes for its own work on each server, and what Berth can do on the server. Null on
 * existing volumes: the next login makes the account.
 */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const ownAccounts: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table "volume" add column "ownAccount" text`.execute(db)
    await sql`alter table "volume" add column "access" text`.execute(db)
  },
}
