/** Adds the name of the volume of which a volume is a copy. Volumes of older versions are no copies. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const copiedVolumes: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table "volume" add column "copyOf" text`.execute(db)
    await sql`alter table "volume" add column "copiedAt" text`.execute(db)
  },
}
