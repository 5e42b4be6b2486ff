/** Adds registries of images. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const registries: Migration = {
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
