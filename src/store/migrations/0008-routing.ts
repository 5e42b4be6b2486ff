/** Adds applications and their routing rules. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const routing: Migration = {
  async up(db: Kysely<unknown>) {
    const statements = [
      // When Berth next reads the services of the engine, it stores these services again, in "application".
      `drop table "foreignService"`,
      `create table "application" (
        "id" text primary key, "name" text not null, "isOwn" integer not null, "alias" text,
        "hosts" text not null, "port" integer not null, "tls" text,
        "onNetwork" integer not null, "published" text not null, "faults" text not null,
        "replicas" integer not null, "running" integer not null, "addresses" text not null,
        "createdAt" text not null)`,
      `create index "applicationName" on "application" (lower("name"))`,
      `create table "redirect" (
        "id" text primary key, "applicationId" text not null, "regex" text not null, "replacement" text not null,
        "permanent" integer not null, "createdAt" text not null)`,
      `create index "redirectApplication" on "redirect" ("applicationId")`,
      `create table "security" (
        "id" text primary key, "applicationId" text not null, "username" text not null, "passwordHash" text not null,
        "createdAt" text not null, unique ("applicationId", "username"))`,
      `create table "port" (
        "id" text primary key, "applicationId" text not null, "publishedPort" integer not null,
        "targetPort" integer not null, "protocol" text not null, "goal" text not null, "applied" integer not null,
        "reason" text, "deploymentId" text, "createdAt" text not null, unique ("publishedPort", "protocol"))`,
      `create table "certificate" (
        "id" text primary key, "name" text not null, "path" text, "autoRenew" integer not null,
        "described" text not null, "pairs" text not null, "createdAt" text not null, "renewedAt" text)`,
      `create table "issuance" (
        "name" text primary key, "error" text, "nextTryAt" text, "notAfter" text)`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
