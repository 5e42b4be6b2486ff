/** Helpers for tests of backups: a destination on which nothing listens, rows of dumps, and a clock that waits for the loop. */
import { insertRun } from '../../src/backups/run-queries.ts'
import type { BackupRunTable } from '../../src/backups/table.ts'
import { until } from '../engine/until.ts'
import type { Input, TestBerth } from '../fixtures/test-berth.ts'

/** Columns of a destination in the table. */
export const bucketColumns = {
  kind: 's3' as const,
  hostKey: null,
  name: 'bucket',
  bucket: 'backups',
  region: '',
  endpoint: 's3.example.org',
  accessKey: 'key',
}

/** @returns the id of the destination */
export async function createDestination(testBerth: TestBerth): Promise<string> {
  const { destinationId } = await testBerth.ok<{ destinationId: string }>('destination.create', {
    name: 'bucket',
    accessKey: 'key',
    secretAccessKey: 'a-secret-of-the-storage',
    bucket: 'backups',
    region: '',
    endpoint: 'http://127.0.0.1:9',
  })
  return destinationId
}

/**
 * Sets the clock forward or back, trusts it, and waits until the loop has worked at the new time. A backup that is due
 * at that time shows this.
 * @param backupFields the fields of that backup, without a schedule
 */
export async function setClock(testBerth: TestBerth, ms: number, backupFields: Input): Promise<void> {
  testBerth.setClock(ms)
  await testBerth.ok('clock.trust', { time: testBerth.now().toISOString() })
  const { backupId } = await testBerth.ok<{ backupId: string }>('backup.create', {
    ...backupFields,
    schedule: '* * * * *',
  })
  await testBerth.app.transact((tx) =>
    tx.updateTable('backup').set({ nextAt: testBerth.now().toISOString() }).where('id', '=', backupId).execute(),
  )
  testBerth.app.wake('backups')
  await until('a turn of the loop', async () => (await testBerth.ok<unknown[]>('backup.runs', { backupId })).length > 0)
  await testBerth.app.transact(async (tx) => {
    await tx.deleteFrom('backupRun').where('backupId', '=', backupId).execute()
    await tx.deleteFrom('backup').where('id', '=', backupId).execute()
  })
}

/** The columns of a dump's run that a test sets. */
type DumpColumns = Pick<BackupRunTable, 'backupId' | 'databaseId' | 'destinationId'> & Partial<BackupRunTable>

/** A manifest as the store has it. */
export const storedManifest = {
  format: 1,
  kind: 'postgres',
  appName: 'shop',
  image: 'postgres:17',
  serverVersion: '17.2',
  settings: { databaseName: 'shop', databaseUser: 'shop' },
  database: 'shop',
  startedAt: '2026-11-22T03:00:00.000Z',
  finishedAt: '2026-11-22T03:00:01.000Z',
  sizeBytes: 10,
  sha256: 'a'.repeat(64),
  rawBytes: 20,
  encryptedFor: null,
  contents: {
    tables: { 'public.a': { rows: 1, checksum: 'x' }, 'public.b': { rows: 7, checksum: 'y' } },
    objects: { VIEW: { rows: 2, checksum: 'z' } },
    roles: ['shop'],
    database: null,
  },
}

/** Inserts the run of a manual dump of the database `shop` of a PostgreSQL service. Returns its id. */
export async function insertDump({ app, now }: Pick<TestBerth, 'app' | 'now'>, columns: DumpColumns): Promise<string> {
  const id = columns.id ?? app.newId()
  const fixed = { action: 'dump', trigger: 'manual', kind: 'postgres', database: 'shop' } as const
  await app.transact((tx) => insertRun(tx, { ...fixed, ...columns, id }, now()))
  return id
}
