/** Adds second factors, API tokens, invitations and the audit log. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const accounts: Migration = {
  async up(db: Kysely<unknown>) {
    const statements = [
      `alter table "account" add column "secret" text`,
      `alter table "account" add column "pinStep" integer not null default 0`,
      `alter table "account" add column "lastSeenAt" text`,
      `alter table "token" add column "address" text not null default ''`,
      `alter table "token" add column "name" text`,
      `alter table "token" add column "scope" text`,
      `update "token" set "scope" = 'admin' where "kind" = 'api'`,
      `alter table "token" add column "passed2FA" integer not null default 0`,
      `alter table "token" add column "tries" integer not null default 0`,
      `create table "recoveryCode" (
        "accountId" text not null references "account" ("id") on delete cascade, "hash" text not null,
        primary key ("accountId", "hash"))`,
      `create table "invitation" (
        "id" text primary key, "hash" text not null unique, "email" text not null, "emailKey" text not null unique,
        "rol" text not null, "invitedBy" text not null references "account" ("id") on delete cascade,
        "createdAt" text not null, "expiresAt" text not null)`,
      `create table "audit" (
        "seq" integer primary key, "at" text not null, "kind" text not null, "accountId" text, "email" text,
        "tokenId" text, "address" text not null, "operation" text not null, "record" text, "result" text not null,
        "previousHash" text not null, "hash" text not null)`,
      `create index "auditRecord" on "audit" ("record", "seq")`,
      `create index "auditAccount" on "audit" ("accountId", "seq")`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
