/** Adds where the files of a server were when Berth last read this. Unknown until the next login to the server. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const dataPlaces: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table "volume" add column "dataPlaces" text`.execute(db)
  },
}
