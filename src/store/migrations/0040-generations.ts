/**
 * Adds the generation of volumes. Volumes of older versions of Berth have the generation 0, and no label with it: their
 * containers stay as they are.
 */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const generations: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table "volume" add column "generation" integer not null default 0`.execute(db)
  },
}
