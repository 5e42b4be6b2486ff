/** Adds the certificates of databases, what is known of the TLS of each server, and the volumes with the files. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The columns of "databaseTls" that the record of a database shows. */
const shown = ['servedFingerprint', 'servedSince', 'waitsForDeploy', 'reason', 'mode']

const isShownChanged = shown.map((name) => `old."${name}" is not new."${name}"`).join(' or ')

/** The record of a database shows its certificate, so a change of it is an event of the database. */
const trigger = `create trigger "databaseTls-database" after update on "databaseTls" when ${isShownChanged} begin
  insert into "event" ("at", "kind", "recordId", "change", "projectId", "adminOnly", "data")
    select strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), 'database', "id", 'changed', "projectId", 0, json_object(
        'kind', "kind", 'name', "name", 'appName', "appName", 'projectId', "projectId",
        'applicationStatus', "applicationStatus", 'containerState', "containerState",
        'pendingChanges', json(iif("pendingChanges", 'true', 'false')), 'deploymentId', "deploymentId")
      from "database" where "id" = new."databaseId" and "projectId" is not null; end`

export const databaseCertificates: Migration = {
  async up(db: Kysely<unknown>) {
    const statements = [
      `create table "databaseCertificate" (
        "databaseId" text not null, "fingerprint" text not null, "state" text not null, "generation" integer not null,
        "names" text not null, "certificatePem" text not null, "key" text not null, "notBefore" text not null,
        "notAfter" text not null, "createdAt" text not null, primary key ("databaseId", "fingerprint"))`,
      `create unique index "databaseCertificateState" on "databaseCertificate" ("databaseId", "state")`,
      `create table "databaseTls" (
        "databaseId" text primary key, "mode" text not null, "isRequired" integer not null default 0,
        "servedFingerprint" text, "servedSince" text, "waitsForDeploy" integer not null default 0, "reason" text,
        "nextTryAt" text, "plainConnections" integer, "plainCountedAt" text)`,
      `create table "tlsVolume" (
        "name" text primary key, "volumeId" text not null, "nodeId" text not null, "digest" text,
        "createdAt" text not null)`,
      trigger,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
