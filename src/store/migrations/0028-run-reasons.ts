/** Merges the message and the fault of a backup run into one reason, stored as data. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

interface Run {
  id: string
  reason: string | null
  fault: string | null
}

export const runReasons: Migration = {
  async up(db: Kysely<unknown>) {
    const { rows } = await sql<Run>`select "id", "reason", "fault" from "backupRun"
      where "reason" is not null or "fault" is not null`.execute(db)
    for (const row of rows) {
      await sql`update "backupRun" set "reason" = ${JSON.stringify(reasonOf(row))} where "id" = ${row.id}`.execute(db)
    }
    await sql`alter table "backupRun" drop column "fault"`.execute(db)
  },
}

/** Keeps an old message as the reason Legacy. With LoadFailed, the message was the cause of the failed load. */
function reasonOf({ reason, fault }: Run) {
  const legacy = { reason: 'Legacy', message: reason ?? '' }
  if (fault === null) return legacy
  const parsed = JSON.parse(fault) as { reason: string }
  return parsed.reason === 'LoadFailed' ? { ...parsed, cause: legacy } : parsed
}
