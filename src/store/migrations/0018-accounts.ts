/** Counts failed attempts by account and network, and adds the known networks of accounts. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Failed attempts are now counted by account and network together. The old counts have other keys, so no query would
 * read them again. Therefore the migration deletes them. At most the counts of one hour are lost.
 */
export const attemptsByNetwork: Migration = {
  async up(db: Kysely<unknown>) {
    const statements = [
      `delete from "attempt"`,
      `alter table "attempt" add column "subject" text`,
      `create index "attemptSubject" on "attempt" ("subject")`,
      `create table "knownNetwork" (
        "accountId" text not null references "account" ("id") on delete cascade, "network" text not null,
        "seenAt" text not null, primary key ("accountId", "network"))`,
      `create index "knownNetworkOfAll" on "knownNetwork" ("network")`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
