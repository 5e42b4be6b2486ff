/** Adds the number of unfinished starts to backup runs, and the facts about a dump that remain without its manifest. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const runs: Migration = {
  async up(db: Kysely<unknown>) {
    const statements = [
      `alter table "backupRun" add column "unfinishedStarts" integer not null default 0`,
      `alter table "backupRun" add column "rowCount" bigint`,
      `alter table "backupRun" add column "shrunkFrom" text`,
      `alter table "backupRun" add column "holdsOlder" integer not null default 0`,
      `create index "backupRunShrunk" on "backupRun" ("backupId", "id") where "holdsOlder" = 1`,
    ]
    for (const statement of statements) await sql.raw(statement).execute(db)
    await countRows(db)
    for (const statement of reductions) await sql.raw(statement).execute(db)
  },
}

/** Keeps the manifests of ended runs only if their dump exists, and adds indexes for queries that run often. */
const reductions = [
  `update "backupRun" set "manifest" = null where "manifest" is not null and "finishedAt" is not null
    and ("key" is null or "action" <> 'dump' or "status" <> 'done')`,
  `drop index "backupRunWork"`,
  `create index "backupRunOpen" on "backupRun" ("dueAt", "id") where "finishedAt" is null`,
  `create index "backupRunOpenOf" on "backupRun" ("backupId", "id") where "finishedAt" is null`,
  `create index "backupRunGood" on "backupRun" ("backupId", "action", "status", "id")`,
  `create index "backupRunVerified" on "backupRun" ("backupId", "verifiedAt")`,
  `create index "backupRunEnded" on "backupRun" ("finishedAt")`,
  `create index "backupRunDestination" on "backupRun" ("destinationId")`,
]

/** Reads one manifest at a time, because a manifest can be large. */
async function countRows(db: Kysely<unknown>): Promise<void> {
  const dumps = await sql<{ id: string }>`select "id" from "backupRun" where "action" = 'dump' and "status" = 'done'
    and "kind" <> 'state' and "manifest" is not null`.execute(db)
  for (const { id } of dumps.rows) {
    const { rows } = await sql<{ manifest: string }>`select "manifest" from "backupRun" where "id" = ${id}`.execute(db)
    const { contents } = JSON.parse(rows[0]!.manifest) as { contents: { tables: Record<string, { rows: number }> } }
    const count = Object.values(contents.tables).reduce((sum, table) => sum + table.rows, 0)
    await sql`update "backupRun" set "rowCount" = ${count} where "id" = ${id}`.execute(db)
  }
}
