/**
 * Adds the node on which the volume of a node that left the swarm was found. Null on existing volumes: the loop over the
 * nodes looks for them.
 */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const returnedNodes: Migration = {
  async up(db: Kysely<unknown>) {
    for (const column of ['foundNodeId', 'foundNodeName'])
      await sql`alter table "volume" add column ${sql.id(column)} text`.execute(db)
  },
}
