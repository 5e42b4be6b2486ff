/** Adds backups and their runs. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const backups: Migration = {
  async up(db: Kysely<unknown>) {
    const statements = [
      `create table "backup" (
        "id" text primary key, "kind" text not null, "databaseId" text not null, "destinationId" text not null,
        "schedule" text not null, "timezone" text not null, "enabled" integer not null, "prefix" text not null,
        "database" text not null, "verifySchedule" text, "keepLatest" integer, "keepDays" integer, "recipient" text,
        "signalUrl" text, "createdAt" text not null, "nextAt" text, "nextVerifyAt" text)`,
      `create index "backupDatabase" on "backup" ("databaseId")`,
      `create index "backupDestination" on "backup" ("destinationId")`,
      `create index "backupDue" on "backup" ("nextAt") where "nextAt" is not null`,
      `create index "backupVerifyDue" on "backup" ("nextVerifyAt") where "nextVerifyAt" is not null`,
      `create table "backupRun" (
        "id" text primary key, "backupId" text, "action" text not null, "trigger" text not null,
        "status" text not null, "step" text not null, "attempt" integer not null, "dueAt" text not null, "reason" text,
        "kind" text not null, "databaseId" text, "database" text not null, "destinationId" text not null, "key" text,
        "uploadId" text, "sizeBytes" bigint, "sha256" text, "progressBytes" bigint not null, "rawBytes" bigint,
        "manifest" text, "serverVersion" text, "recipient" text, "sourceRunId" text, "safetyRunId" text,
        "appName" text, "identity" text, "skipSafetyDump" integer not null, "cancelled" integer not null,
        "verifiedAt" text, "createdAt" text not null, "startedAt" text, "finishedAt" text)`,
      `create index "backupRunBackup" on "backupRun" ("backupId", "id")`,
      `create index "backupRunWork" on "backupRun" ("dueAt") where "status" in ('waiting', 'running')`,
      `create index "backupRunLeft" on "backupRun" ("dueAt")
        where "status" = 'error' and "action" = 'dump' and "key" is not null`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
