/** The query plans of frequent queries of runs. They use an index and read no manifest. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Kysely } from 'kysely'
import { metricsOf } from '../../src/backups/metrics.ts'
import { nextRuns } from '../../src/backups/runs/next-runs.ts'
import { lastGoodOf, failedDumpsToCleanUp, openRunOf } from '../../src/backups/run-queries.ts'
import { baselineOf, shrinksOf } from '../../src/backups/retention/shrink-marks.ts'
import { migrate } from '../../src/store/migrations.ts'
import type { BackupRunTable } from '../../src/backups/table.ts'
import type { Schema } from '../../src/store/schema.ts'
import { sqliteDialect } from '../../src/store/sqlite/dialect.ts'

const now = new Date('2030-01-01T00:00:00.000Z')
const places = new Map([['run', { nodeId: 'node', destinationId: 'full' }]])
const row = { id: 'run', backupId: 'b', databaseId: 'd', database: 'shop' } as BackupRunTable

const queries: [name: string, run: (db: Kysely<Schema>) => Promise<unknown>][] = [
  ['the metrics', (db) => metricsOf({ db, now: () => now })],
  ['the next runs', (db) => nextRuns(db, places, 1, ['dump', 'verify', 'restore'], now)],
  ['failed dumps to clean up', (db) => failedDumpsToCleanUp(db, now, 10)],
  ['the open run of a backup', (db) => openRunOf(db, 'b')],
  ['the dumps that shrank', (db) => shrinksOf(db)],
  ['the baseline of a dump', (db) => baselineOf(db, row)],
]

async function openLogged() {
  const file = new DatabaseSync(':memory:')
  const executed: { sql: string; parameters: readonly unknown[] }[] = []
  const db = new Kysely<Schema>({
    dialect: sqliteDialect(file, () => undefined),
    log: ({ query }) => void executed.push(query),
  })
  await migrate(db, { seal: (_place, text) => text })
  executed.length = 0
  const planOf = ({ sql, parameters }: (typeof executed)[number]) =>
    file
      .prepare(`explain query plan ${sql}`)
      .all(...(parameters as string[]))
      .map(({ detail }) => String(detail))
  return { db, executed, planOf }
}

for (const [name, runQuery] of queries) {
  test(`the query of ${name} uses an index and reads no manifest`, async () => {
    const { db, executed, planOf } = await openLogged()
    await runQuery(db)
    assert.ok(executed.length > 0)
    for (const query of executed) {
      const scans = planOf(query).filter((line) => /^SCAN (?:backupRun|run)\b(?! USING (?:COVERING )?INDEX)/.test(line))
      assert.deepEqual(scans, [], query.sql)
      assert.doesNotMatch(query.sql, /manifest|select \*/)
    }
    await db.destroy()
  })
}

test('the query of the last good dump uses the index of good dumps', async () => {
  const { db, executed, planOf } = await openLogged()
  await lastGoodOf(db, 'b')
  assert.match(planOf(executed[0]!).join(), /USING INDEX backupRunGood/)
  await db.destroy()
})
