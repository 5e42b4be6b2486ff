/** Adds the ports to the engines of other nodes, and Berth's client certificates for them. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const engines: Migration = {
  async up(db: Kysely<unknown>) {
    const statements = [
      `create table "engineAccess" (
        "fingerprint" text primary key not null, "state" text not null, "certificatePem" text not null, "key" text,
        "generation" integer not null, "notAfter" text not null, "createdAt" text not null)`,
      `create unique index "engineAccessInUse" on "engineAccess" ("state") where "state" in ('current', 'next')`,
      `create table "nodeEngine" (
        "nodeId" text primary key not null, "hostname" text not null, "address" text not null, "port" integer not null,
        "state" text not null, "reason" text, "since" text not null, "fingerprints" text not null,
        "digest" text not null, "certificatePem" text not null, "key" text not null, "generation" integer not null,
        "notAfter" text not null)`,
      // The port is part of the record of its node.
      `create trigger "nodeEngine-changed" after update on "nodeEngine"
        when old."state" is not new."state" or old."reason" is not new."reason" begin
        insert into "event" ("at", "kind", "recordId", "change", "projectId", "adminOnly", "data")
        values (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), 'node', new."nodeId", 'changed', null, 1,
          json_object('hostname', new."hostname", 'engineState', new."state")); end`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
