/** Adds the settings of the installation that administrators change while Berth runs: a table with one row. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { addEventTriggers } from './0034-events.ts'

export const settings: Migration = {
  async up(db: Kysely<unknown>) {
    const statements = [
      `create table "settings" (
        "id" text primary key not null check ("id" = 'installation'), "confirmDangerousCalls" integer not null,
        "changedAt" text)`,
      `insert into "settings" values ('installation', 0, null)`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
    await addEventTriggers(db, {
      table: 'settings',
      kind: 'settings',
      shown: ['confirmDangerousCalls'],
      flags: ['confirmDangerousCalls'],
    })
  },
}
