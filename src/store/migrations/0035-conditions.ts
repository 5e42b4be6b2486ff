/** Adds the conditions: what needs attention. Their changes are events. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { addEventTriggers } from './0034-events.ts'

export const conditions: Migration = {
  async up(db: Kysely<unknown>) {
    const statements = [
      `create table "condition" (
        "id" text primary key not null, "name" text not null, "severity" text not null, "subjectKind" text not null,
        "subjectId" text not null, "subjectName" text not null, "projectId" text, "adminOnly" integer not null,
        "reason" text not null, "since" text not null, "endedAt" text)`,
      `create unique index "conditionPresent" on "condition" ("name", "subjectKind", "subjectId") where "endedAt" is null`,
      `create index "conditionEnded" on "condition" ("endedAt") where "endedAt" is not null`,
      `create index "deploymentRestart" on "deployment" ("startedAt") where "action" = 'restart'`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
    await addEventTriggers(db, {
      table: 'condition',
      kind: 'condition',
      project: 'row."projectId"',
      adminOnly: 'row."adminOnly"',
      shown: ['name', 'severity', 'subjectKind', 'subjectId', 'subjectName', 'since', 'endedAt'],
    })
  },
}
