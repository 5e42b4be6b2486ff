/** Adds the kind of destinations, and the host key of SFTP servers. All destinations so far are buckets. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { addEventTriggers, dropEventTriggers, watchedDestination } from './0034-events.ts'

export const destinationKinds: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table "destination" add column "kind" text not null default 's3'`.execute(db)
    await sql`alter table "destination" add column "hostKey" text`.execute(db)
    await dropEventTriggers(db, watchedDestination)
    await addEventTriggers(db, watchedDestination)
  },
}
