/** The operation `backup.manifest`: what the manifest of a dump says. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dumpedKinds } from '../../src/backups/fields.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'
import { createDestination, insertDump, storedManifest as stored } from './backups.ts'

const key = 'nightly/shop/shop/20261122T030000Z-r1.dump.zst'

async function startWithDump() {
  const testBerth = await startTestBerth()
  const clients = databaseClientsOf(testBerth, dumpedKinds.find(({ name }) => name === 'postgres')!)
  const databaseId = clients.idOf(await clients.create())
  const destinationId = await createDestination(testBerth)
  const insert = (more: Partial<Parameters<typeof insertDump>[1]>) =>
    insertDump(testBerth, { backupId: null, databaseId, destinationId, status: 'done', key, ...more })
  return { testBerth, insert }
}

test('answers what a dump contains, the largest tables first', async () => {
  const { testBerth, insert } = await startWithDump()
  await using _ = testBerth
  const runId = await insert({ manifest: JSON.stringify(stored) })
  const { format: _format, kind, settings: _settings, contents, ...rest } = stored
  assert.deepEqual(await testBerth.ok('backup.manifest', { runId }), {
    runId,
    key,
    databaseType: kind,
    product: null,
    ...rest,
    server: null,
    rowCount: 8,
    tableCount: 2,
    tables: [
      { name: 'public.b', rows: 7, checksum: 'y' },
      { name: 'public.a', rows: 1, checksum: 'x' },
    ],
    objects: [{ name: 'VIEW', rows: 2, checksum: 'z' }],
    findings: [],
    needs: [],
    roles: contents.roles,
  })
})

test('answers at most a thousand tables, and counts all', async () => {
  const { testBerth, insert } = await startWithDump()
  await using _ = testBerth
  const tables = Object.fromEntries(
    Array.from({ length: 1_200 }, (_table, rows) => [`t${rows}`, { rows, checksum: '' }]),
  )
  const runId = await insert({ manifest: JSON.stringify({ ...stored, contents: { ...stored.contents, tables } }) })
  const answer = await testBerth.ok<{ tableCount: number; rowCount: number; tables: { name: string }[] }>(
    'backup.manifest',
    { runId },
  )
  assert.deepEqual([answer.tableCount, answer.rowCount, answer.tables.length], [1_200, 719_400, 1_000])
  assert.equal(answer.tables[0]!.name, 't1199')
})

test('refuses a run without a good dump', async () => {
  const { testBerth, insert } = await startWithDump()
  await using _ = testBerth
  await testBerth.refused('NOT_FOUND', 'backup.manifest', { runId: 'x' })
  for (const more of [{ status: 'error' as const }, { key: null }, { action: 'verify' as const }]) {
    await testBerth.refused('PRECONDITION_FAILED', 'backup.manifest', { runId: await insert(more) })
  }
})
