/** Stores versions of servers as text, and adds the drift of databases. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const kinds: Migration = {
  async up(db: Kysely<unknown>) {
    const statements = [
      `alter table "volume" add column "serverVersion" text`,
      `update "volume" set "serverVersion" = cast("version" as text)`,
      `alter table "volume" drop column "version"`,
      `alter table "database" add column "drift" text not null default '[]'`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
