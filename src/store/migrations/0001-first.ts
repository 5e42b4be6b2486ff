/** Creates the first version of the store. The SQL is valid in SQLite and PostgreSQL. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const first: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of tables) await sql.raw(statement).execute(db)
  },
}

const tables = [
  `create table "meta" ("key" text primary key, "value" text not null)`,
  `create table "account" (
    "id" text primary key, "email" text not null, "emailKey" text not null unique, "passwordHash" text not null,
    "rol" text not null, "image" text not null, "is2FAEnabled" integer not null, "createdAt" text not null)`,
  `create table "token" (
    "id" text primary key, "hash" text not null unique, "kind" text not null,
    "accountId" text not null references "account" ("id") on delete cascade,
    "createdAt" text not null, "lastUsedAt" text not null, "expiresAt" text)`,
  `create index "tokenAccount" on "token" ("accountId")`,
  `create table "attempt" (
    "key" text primary key, "failures" integer not null, "blockedUntil" text not null, "updatedAt" text not null)`,
  `create table "idempotency" (
    "key" text not null, "accountId" text not null, "operation" text not null, "bodyHash" text not null,
    "answer" text not null, "deploymentIds" text not null, "createdAt" text not null,
    primary key ("key", "accountId", "operation"))`,
  `create table "project" (
    "id" text primary key, "name" text not null, "description" text, "createdAt" text not null)`,
  `create table "volume" (
    "id" text primary key, "name" text not null unique, "kind" text not null, "version" integer,
    "dataPath" text not null, "nodeId" text not null, "nodeName" text not null, "nodeAddress" text not null,
    "databaseId" text,
    "state" text not null, "appName" text not null, "dockerImage" text not null, "settings" text not null,
    "secrets" text not null, "createdAt" text not null, "keptAt" text, "deploymentId" text)`,
  `create index "volumeState" on "volume" ("state")`,
  `create table "database" (
    "id" text primary key, "kind" text not null, "projectId" text references "project" ("id"),
    "name" text not null, "appName" text not null, "description" text, "dockerImage" text not null,
    "command" text, "env" text, "memoryReservation" double precision, "memoryLimit" double precision,
    "cpuReservation" double precision, "cpuLimit" double precision, "externalPort" integer unique,
    "applicationStatus" text not null, "statusReason" text, "createdAt" text not null,
    "settings" text not null, "secrets" text not null, "goal" text not null, "target" text, "lastGood" text,
    "pendingChanges" integer not null, "deploymentId" text, "volumeId" text references "volume" ("id"),
    "removeData" integer not null, "observed" text not null, "containerState" text, "downSince" text,
    "lastDeployedAt" text)`,
  `create unique index "databaseAppName" on "database" (lower("appName"))`,
  `create index "databaseProject" on "database" ("projectId", "id")`,
  `create index "databaseWork" on "database" ("deploymentId") where "deploymentId" is not null`,
  `create table "deployment" (
    "id" text primary key, "databaseId" text not null, "action" text not null, "state" text not null,
    "phase" text not null, "reason" text, "startedAt" text not null, "phaseAt" text not null, "finishedAt" text)`,
  `create index "deploymentDatabase" on "deployment" ("databaseId")`,
  `create table "foreignService" ("name" text primary key)`,
]
