/** Stores whether a volume belongs to a database or to the registry that Berth runs. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const volumeOwners: Migration = {
  async up(db: Kysely<unknown>) {
    const statements = [
      `alter table "volume" rename column "databaseId" to "ownerId"`,
      `alter table "volume" add column "ownerKind" text not null default 'database'`,
      `update "volume" set "ownerKind" = 'registry' where "kind" = 'registry'`,
      `update "volume" set "ownerId" = 'registry' where "kind" = 'registry' and "state" = 'attached'`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
