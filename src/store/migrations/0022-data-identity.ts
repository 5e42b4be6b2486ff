/** Stores how the data of a volume is recognized, its fault, and the container whose data was compared last. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const dataIdentity: Migration = {
  async up(db: Kysely<unknown>) {
    const statements = [
      `alter table "volume" add column "identity" text`,
      `alter table "volume" add column "fault" text`,
      `alter table "database" add column "provenTask" text`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
