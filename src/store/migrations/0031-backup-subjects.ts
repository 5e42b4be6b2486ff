/** Stores whether a backup or run is of a database or of Berth's own state. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const backupSubjects: Migration = {
  async up(db: Kysely<unknown>) {
    for (const table of ['backup', 'backupRun']) {
      await sql.raw(`alter table "${table}" add column "subjectKind" text not null default 'database'`).execute(db)
      await sql.raw(`update "${table}" set "subjectKind" = 'installation' where "kind" = 'state'`).execute(db)
    }
  },
}
