/** Adds the entity tag to the stored answers of calls with an Idempotency-Key: a repeated call answers it again. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const entityTags: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table "idempotency" add column "entityTag" text`.execute(db)
  },
}
