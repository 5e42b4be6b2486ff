/** Tests that frequent queries of runs use an index and never read a manifest. */
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

const asked: [what: string, ask: (db: Kysely<Schema>) => Promise<unknown>][] = [
  ['figures for a monitor', (db) => metricsOf({ db, now: () => now })],
  ['which runs begin next', (db) => nextRuns(db, places, 1, now)],
  ['what failed runs have left', (db) => failedDumpsToCleanUp(db, now, 10)],
  ['the open run of a backup', (db) => openRunOf(db, 'b')],
  ['what is held by dumps that shrank', (db) => shrinksOf(db)],
  ['what a dump is compared with', (db) => baselineOf(db, row)],
]

async function opened() {
  const file = new DatabaseSync(':memory:')
  const asks: { sql: string; parameters: readonly unknown[] }[] = []
  const db = new Kysely<Schema>({
    dialect: sqliteDialect(file, () => undefined),
    log: ({ query }) => void asks.push(query),
  })
  await migrate(db, { seal: (_place, text) => text })
  asks.length = 0
  const planOf = ({ sql, parameters }: (typeof asks)[number]) =>
    file
      .prepare(`explain query plan ${sql}`)
      .all(...(parameters as string[]))
      .map(({ detail }) => String(detail))
  return { db, asks, planOf }
}

for (const [what, ask] of asked) {
  test(`uses an index and reads no manifest: ${what}`, async () => {
    const { db, asks, planOf } = await opened()
    await ask(db)
    assert.ok(asks.length > 0)
    for (const it of asks) {
      const scans = planOf(it).filter((line) => /^SCAN (?:backupRun|run)\b(?! USING (?:COVERING )?INDEX)/.test(line))
      assert.deepEqual(scans, [], it.sql)
      assert.doesNotMatch(it.sql, /manifest|select \*/)
    }
    await db.destroy()
  })
}

test('finds the last good dump of a backup by an index', async () => {
  const { db, asks, planOf } = await opened()
  await lastGoodOf(db, 'b')
  assert.match(planOf(asks[0]!).join(), /USING INDEX backupRunGood/)
  await db.destroy()
})
