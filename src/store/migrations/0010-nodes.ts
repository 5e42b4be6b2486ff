/** Adds the nodes of the cluster. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const nodes: Migration = {
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
