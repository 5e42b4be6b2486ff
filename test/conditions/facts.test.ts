/** The queries that conditions are derived from: they read few of many runs, by an index. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { Kysely } from 'kysely'
import { readFacts } from '../../src/conditions/facts.ts'
import { migrate } from '../../src/store/migrations.ts'
import type { Schema } from '../../src/store/schema.ts'
import { sqliteDialect } from '../../src/store/sqlite/dialect.ts'

const now = new Date('2030-01-01T00:00:00.000Z')
const file = new DatabaseSync(':memory:')
const queries: { sql: string; parameters: readonly unknown[] }[] = []
const db = new Kysely<Schema>({
  dialect: sqliteDialect(file, () => undefined),
  log: ({ query }) => void queries.push(query),
})
const [backups, runsOfEach] = [30, 400]

before(async () => {
  await migrate(db, { seal: (_place, text) => text })
  insertRuns()
  queries.length = 0
})
after(() => db.destroy())

/** Inserts backups with a dump for each day of the last 400 days. The last two dumps failed. */
function insertRuns(): void {
  file.exec(`
    with recursive "n" ("i") as (select 1 union all select "i" + 1 from "n" where "i" < ${backups})
    insert into "backup" ("id", "subjectKind", "kind", "databaseId", "destinationId", "schedule", "timezone", "enabled",
      "prefix", "database", "createdAt")
    select 'b' || "i", 'database', 'postgres', '', 'd', '@daily', 'UTC', 1, '', 'shop', '' from "n"`)
  file.exec(`
    with recursive "n" ("i") as (select 1 union all select "i" + 1 from "n" where "i" < ${backups}),
      "m" ("j") as (select 1 union all select "j" + 1 from "m" where "j" < ${runsOfEach})
    insert into "backupRun" ("id", "backupId", "action", "trigger", "status", "step", "attempt", "dueAt", "kind",
      "database", "destinationId", "createdAt", "finishedAt", "progressBytes", "cancelled",
      "interrupted", "unfinishedStarts", "holdsOlder", "subjectKind")
    select printf('r%04d-%s', "j", "i"), 'b' || "i", 'dump', 'schedule',
      case when "j" > ${runsOfEach - 2} then 'error' else 'done' end, 'list', 1, '', 'postgres', 'shop', 'd',
      printf('%04d', "j"), printf('%04d', "j"), 0, 0, 0, 0, 0, 'database'
    from "n", "m"`)
}

test('reads only the runs after the last good one of each backup', async () => {
  const { runs, backups: read } = await readFacts(db, now)
  assert.deepEqual([read.length, runs.length], [backups, 2 * backups])
  assert.deepEqual([...new Set(read.map(({ lastGoodAt }) => lastGoodAt))], [`0${runsOfEach - 2}`])
  assert.deepEqual(
    runs.filter(({ backupId }) => backupId === 'b7').map(({ id }) => id),
    [`r0${runsOfEach - 1}-7`, `r0${runsOfEach}-7`],
  )
})

test('finds runs and deployments by an index', () => {
  const scans = queries.flatMap(({ sql, parameters }) =>
    file
      .prepare(`explain query plan ${sql}`)
      .all(...(parameters as string[]))
      .map(({ detail }) => String(detail))
      .filter((line) =>
        /^SCAN (?:backupRun|run|good|deployment|planned)\b(?! USING (?:COVERING )?INDEX backupRun)/.test(line),
      ),
  )
  assert.deepEqual(scans, [])
})
