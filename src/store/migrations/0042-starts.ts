/**
 * Adds the longest start that the owner of a database allows, and since when a server initializes a new volume. For
 * volumes of older versions it is unknown whether their first start was interrupted: they count as initialized.
 */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { addEventTriggers, dropEventTriggers, watchedDatabase } from './0034-events.ts'

export const starts: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table "database" add column "startTimeout" integer`.execute(db)
    await sql`alter table "volume" add column "initializingSince" text`.execute(db)
    await dropEventTriggers(db, watchedDatabase)
    await addEventTriggers(db, watchedDatabase)
  },
}
