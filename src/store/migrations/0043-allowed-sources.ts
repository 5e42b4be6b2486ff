/** Adds the allowed sources of projects and published ports, what gateways enforce of them, and what each node lets them see. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { replaceEventTriggers, type Watched } from './0034-events.ts'

/** Later migrations that add columns to the tables make their triggers again. */
export const watchedProjects: Watched = { table: 'project', kind: 'project', project: 'row."id"', shown: ['name'] }
export const watchedPorts: Watched = {
  table: 'port',
  kind: 'port',
  shown: ['applicationId', 'publishedPort', 'protocol', 'goal', 'applied'],
  flags: ['applied'],
}

/** What a gateway enforces is part of the record of its database or of its published port. */
function ownerTrigger(ownerKind: 'database' | 'port', project: string): string {
  return `create trigger "gatewaySources-${ownerKind}" after update on "gatewaySources"
    when new."ownerKind" = '${ownerKind}' and (old."appliedHash" is not new."appliedHash"
      or old."enforcedSince" is not new."enforcedSince" or old."reason" is not new."reason") begin
    insert into "event" ("at", "kind", "recordId", "change", "projectId", "adminOnly", "data")
    values (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), '${ownerKind}', new."ownerId", 'changed', ${project}, 0,
      json_object('sourcesEnforcedSince', new."enforcedSince")); end`
}

export const allowedSources: Migration = {
  async up(db: Kysely<unknown>) {
    const statements = [
      `alter table "project" add column "allowedSources" text not null default '[]'`,
      `alter table "port" add column "allowedSources" text not null default '[]'`,
      `create table "gatewaySources" (
        "gateway" text not null, "nodeId" text not null, "ownerKind" text not null, "ownerId" text not null,
        "taskId" text, "appliedHash" text, "enforcedSince" text, "reason" text, "refused" integer not null,
        "counter" integer not null, "refusedSources" text not null, primary key ("gateway", "nodeId"))`,
      `create table "sourceMeasurement" (
        "nodeId" text primary key not null, "ipv4" text not null, "ipv6" text not null, "loopback" text not null,
        "hiddenAddresses" text not null, "measuredAt" text not null)`,
      ownerTrigger('database', '(select "projectId" from "database" where "id" = new."ownerId")'),
      ownerTrigger('port', 'null'),
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
    await replaceEventTriggers(db, watchedProjects)
    await replaceEventTriggers(db, watchedPorts)
  },
}
