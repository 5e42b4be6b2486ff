/** Adds moves of databases to another node. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const moves: Migration = {
  async up(db: Kysely<unknown>) {
    await sql
      .raw(`create table "move" (
      "databaseId" text primary key, "deploymentId" text not null, "nodeId" text not null, "nodeName" text not null,
      "nodeAddress" text not null, "volumeId" text, "step" text not null)`)
      .execute(db)
  },
}
