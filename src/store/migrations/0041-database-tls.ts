/**
 * Adds TLS and the allowed sources to databases. Databases that were deployed before get TLS at their next deploy: their
 * target has no TLS, so the record differs from what runs.
 */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { replaceEventTriggers, watchedDatabases } from './0034-events.ts'

export const databaseTls: Migration = {
  async up(db: Kysely<unknown>) {
    for (const column of [
      `"tls" text not null default 'allow'`,
      `"tlsNames" text not null default '[]'`,
      '"allowedSources" text',
    ]) {
      await sql.raw(`alter table "database" add column ${column}`).execute(db)
    }
    await sql.raw(`update "database" set "pendingChanges" = 1 where "target" is not null`).execute(db)
    await replaceEventTriggers(db, watchedDatabases)
  },
}
