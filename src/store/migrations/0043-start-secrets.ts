/**
 * Adds the secrets with which the first server on a volume was started. They are null for volumes of older versions of
 * Berth, whose servers were started with the secrets of the last proven login.
 */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const startSecrets: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table "volume" add column "startSecrets" text`.execute(db)
  },
}
