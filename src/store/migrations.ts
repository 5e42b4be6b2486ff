/** The versions of the store, oldest first. A version that was released is never edited. */
import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { attemptsByNetwork } from './migrations/0018-accounts.ts'
import { backupIdentity } from './migrations/0021-backup-identity.ts'
import { dataIdentity } from './migrations/0022-data-identity.ts'
import { restores } from './migrations/0023-restores.ts'
import { safetyDumps } from './migrations/0024-safety-dumps.ts'
import { runs } from './migrations/0026-runs.ts'
import type { Sealer } from './vault.ts'

const first: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of tables) await sql.raw(statement).execute(db)
  },
}

/** Only what SQLite and PostgreSQL both take. */
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

const kinds: Migration = {
  async up(db: Kysely<unknown>) {
    const statements = [
      `alter table "volume" add column "serverVersion" text`,
      `update "volume" set "serverVersion" = cast("version" as text)`,
      `alter table "volume" drop column "version"`,
      `alter table "database" add column "drift" text not null default '[]'`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}

/** Deployments tell of services and volumes that are gone. */
const namedDeployments: Migration = {
  async up(db: Kysely<unknown>) {
    const ofRow = (column: string, table: string) =>
      `(select "${column}" from "${table}" where "${table}"."id" = "deployment"."databaseId")`
    for (const column of ['kind', 'appName']) {
      const found = `coalesce(${ofRow(column, 'database')}, ${ofRow(column, 'volume')})`
      await sql.raw(`alter table "deployment" add column "${column}" text`).execute(db)
      await sql.raw(`update "deployment" set "${column}" = ${found}`).execute(db)
    }
  },
}

const accounts: Migration = {
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

/** Environments of services hold passwords of applications. */
const sealing = ({ seal }: Pick<Sealer, 'seal'>): Migration => ({
  async up(db: Kysely<unknown>) {
    const select = sql<{ id: string; env: string }>`select "id", "env" from "database" where "env" is not null`
    const { rows } = await select.execute(db)
    for (const { id, env } of rows) {
      const sealed = seal({ table: 'database', column: 'env', row: id }, env)
      await sql`update "database" set "env" = ${sealed} where "id" = ${id}`.execute(db)
    }
    if (rows.length > 0) await sql.raw(`insert into "meta" values ('${vacuumDue}', 'sealing')`).execute(db)
  },
})

const destinations: Migration = {
  async up(db: Kysely<unknown>) {
    await sql
      .raw(`create table "destination" (
      "id" text primary key, "name" text not null, "bucket" text not null, "region" text not null,
      "endpoint" text not null, "accessKey" text not null, "secrets" text not null, "createdAt" text not null)`)
      .execute(db)
  },
}

const backups: Migration = {
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

const routing: Migration = {
  async up(db: Kysely<unknown>) {
    const statements = [
      // What it held is seen again at the next look, with more that is to be known of it.
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

const registries: Migration = {
  async up(db: Kysely<unknown>) {
    const statements = [
      `create table "registry" (
        "id" text primary key, "registryName" text not null, "registryType" text not null, "registryUrl" text not null,
        "username" text not null, "secrets" text not null, "imagePrefix" text, "insecure" integer not null,
        "adminId" text not null, "createdAt" text not null)`,
      `create table "registryServer" (
        "id" text primary key, "registryId" text, "goal" text not null, "htpasswd" text not null, "host" text,
        "port" integer, "volumeId" text, "collecting" integer not null, "untagged" integer not null,
        "collections" integer not null, "status" text not null, "reason" text, "deploymentId" text)`,
      `create table "changedCredentials" ("host" text primary key, "changeId" text not null)`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}

const nodes: Migration = {
  async up(db: Kysely<unknown>) {
    const statements = [
      `create table "node" (
        "id" text primary key, "hostname" text not null, "state" text not null, "since" text not null,
        "deploymentId" text, "force" integer not null, "availability" text not null)`,
      `create index "volumeNode" on "volume" ("nodeId")`,
      `alter table "database" add column "node" text`,
      `alter table "database" add column "nodeLabel" text`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}

const moves: Migration = {
  async up(db: Kysely<unknown>) {
    await sql
      .raw(`create table "move" (
      "databaseId" text primary key, "deploymentId" text not null, "nodeId" text not null, "nodeName" text not null,
      "nodeAddress" text not null, "volumeId" text, "step" text not null)`)
      .execute(db)
  },
}

const tried: Migration = {
  async up(db: Kysely<unknown>) {
    await sql.raw(`alter table "volume" add column "tried" text`).execute(db)
  },
}

const lapsed: Migration = {
  async up(db: Kysely<unknown>) {
    await sql
      .raw(`create table "lapsed" (
      "key" text not null, "destinationId" text not null, "backupId" text not null, "since" text not null,
      "dueAt" text not null, primary key ("destinationId", "key"))`)
      .execute(db)
  },
}

/** In `meta`, while the file may still hold, in pages that are free, what is to be nowhere. */
export const vacuumDue = 'vacuumDue'

const versions = (sealer: Pick<Sealer, 'seal'>): Record<string, Migration> => ({
  '0001-first': first,
  '0002-kinds': kinds,
  '0003-named-deployments': namedDeployments,
  '0004-accounts': accounts,
  '0005-sealing': sealing(sealer),
  '0006-destinations': destinations,
  '0007-backups': backups,
  '0008-routing': routing,
  '0009-registries': registries,
  '0010-nodes': nodes,
  '0011-moves': moves,
  '0012-tried': tried,
  '0013-lapsed': lapsed,
  '0018-accounts': attemptsByNetwork,
  '0021-backup-identity': backupIdentity,
  '0022-data-identity': dataIdentity,
  '0023-restores': restores,
  '0024-safety-dumps': safetyDumps,
  '0026-runs': runs,
})

/** Whether this Berth knows the version, and so could bring a store of it to its own. */
export const isKnownVersion = (name: string): boolean => Object.hasOwn(versions(sealsNothing), name)

const sealsNothing: Pick<Sealer, 'seal'> = { seal: (_, text) => text }

/**
 * Brings the store to the newest version, in one transaction, or to that of another name, as an older Berth would have
 * it. Throws when a newer Berth has written it.
 */
export async function migrate<S>(db: Kysely<S>, sealer: Pick<Sealer, 'seal'>, version?: string): Promise<void> {
  const newer = (await namesIn(db)).filter((name) => !isKnownVersion(name))
  if (newer.length > 0) {
    throw new Error(
      `This store was written by a newer Berth (its version is ${newer.at(-1)}), and nothing was changed ` +
        'in it. Start that Berth again, or go back to a backup of the state that was made before: ' +
        './berth state restore FILE --replace',
    )
  }
  const migrator = new Migrator({ db, provider: { getMigrations: async () => versions(sealer) } })
  const { error } = await (version === undefined ? migrator.migrateToLatest() : migrator.migrateTo(version))
  if (error !== undefined) throw new Error('The store could not be brought to this version of Berth', { cause: error })
}

/** Whether the store is of this version, neither an older nor a newer one. Changes nothing. */
export async function isOfThisVersion<S>(db: Kysely<S>): Promise<boolean> {
  return (await namesIn(db)).join() === Object.keys(versions(sealsNothing)).join()
}

/** The versions that the store went through, oldest first. */
async function namesIn<S>(db: Kysely<S>): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(({ name }) => name === 'kysely_migration')) return []
  const { rows } = await sql<{ name: string }>`select "name" from "kysely_migration" order by "name"`.execute(db)
  return rows.map(({ name }) => name)
}
