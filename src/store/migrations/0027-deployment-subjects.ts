/** Stores the kind of record that a deployment belongs to. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const deploymentSubjects: Migration = {
  async up(db: Kysely<unknown>) {
    const statements = [
      `drop index "deploymentDatabase"`,
      `alter table "deployment" rename column "databaseId" to "subjectId"`,
      `alter table "deployment" add column "subjectKind" text not null default 'database'`,
      `update "deployment" set "subjectKind" = 'volume' where "action" = 'removeVolume'`,
      `update "deployment" set "subjectKind" = 'port' where "action" in ('publish', 'unpublish')`,
      `update "deployment" set "subjectKind" = 'registry'
        where "action" in ('enableRegistry', 'removeRegistry', 'collectGarbage')`,
      `update "deployment" set "subjectKind" = 'node' where "action" = 'removeNode'`,
      `create index "deploymentSubject" on "deployment" ("subjectId", "id")`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
