/** Changes the tables of accounts. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Failed attempts are now counted by account and network together. Old counts have other keys and would never be read
 * again, so they are deleted. At most an hour of counting is lost.
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
