/**
 * Adds where the files of a server were when Berth last read this. Unknown until the next login to the server. Renames
 * `items` of the reason DataOutsideVolume: only there, its elements have a path.
 */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

const reasons = [
  ['database', 'statusReason'],
  ['deployment', 'reason'],
  ['backupRun', 'reason'],
] as const
const [before, after] = ['"items":[{"path":', '"places":[{"path":']

export const dataPlaces: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`alter table "volume" add column "dataPlaces" text`.execute(db)
    for (const [table, column] of reasons) {
      const field = sql.id(column)
      await sql`update ${sql.id(table)} set ${field} = replace(${field}, ${before}, ${after})
        where instr(${field}, ${before}) > 0`.execute(db)
    }
  },
}
