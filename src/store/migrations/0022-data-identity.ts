/** Stores the identity and the fault of a volume's data, and the last task whose data was verified. */
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
