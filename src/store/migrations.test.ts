/** Migrations of stores with data. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Kysely, sql } from 'kysely'
import { temporaryFolder } from '../../test/fixtures/folder.ts'
import { fromJson } from '../lib/json.ts'
import { isOfThisVersion, migrate } from './migrations.ts'
import { openStore } from './sqlite/open.ts'
import type { Schema } from './schema.ts'
import { sqliteDialect } from './sqlite/dialect.ts'
import { vacuumDue } from './vacuum-due.ts'
import { sealerOf } from './vault.ts'

const sealer = sealerOf(Buffer.alloc(32, 1))

/** Creates a store of a version and runs the statements on it. */
async function storeOf(folder: string, version: string, statements: string[]): Promise<void> {
  const file = new DatabaseSync(join(folder, 'berth.db'))
  file.exec('pragma journal_mode = wal')
  const db = new Kysely<Schema>({ dialect: sqliteDialect(file, () => undefined) })
  await migrate(db, sealer, version)
  for (const statement of statements) await sql.raw(statement).execute(db)
  assert.equal(await isOfThisVersion(db), false)
  await db.destroy()
}

const database = (id: string, env: string) => `
  insert into "database" ("id", "kind", "name", "appName", "dockerImage", "applicationStatus", "createdAt", "env",
    "settings", "secrets", "goal", "pendingChanges", "removeData", "observed")
    values ('${id}', 'redis', 'n', 'cache-${id}', 'redis:8', 'done', 't', ${env}, '{}', 's', 'up', 0, 0, 'up')`

const volume = `
  insert into "volume" ("id", "name", "kind", "dataPath", "nodeId", "nodeName", "nodeAddress", "state", "appName",
    "dockerImage", "settings", "secrets", "createdAt")
    values ('v', 'berth-v', 'mysql', '/data', 'n', 'n', 'a', 'removing', 'kept', 'mysql:8', '{}', 's', 't')`

const deployment = (id: string, databaseId: string) => `
  insert into "deployment" ("id", "databaseId", "action", "state", "phase", "startedAt", "phaseAt")
    values ('${id}', '${databaseId}', 'deploy', 'done', 'apply', 't', 't')`

test('deployments get the kind and appName of their database or volume if it still exists', async (t) => {
  const folder = temporaryFolder(t)
  const deployments = [deployment('1', 'd'), deployment('2', 'v'), deployment('3', 'removed')]
  await storeOf(folder, '0002-kinds', [database('d', 'null'), volume, ...deployments])
  const store = await openStore(folder)
  t.after(() => store.close())
  const rows = await store.db.selectFrom('deployment').select(['id', 'kind', 'appName']).orderBy('id').execute()
  assert.deepEqual(
    rows.map(({ id, kind, appName }) => [id, kind, appName]),
    [
      ['1', 'redis', 'cache-d'],
      ['2', 'mysql', 'kept'],
      ['3', null, null],
    ],
  )
})

const subjects = [
  ['removeVolume', 'volume'],
  ['publish', 'port'],
  ['unpublish', 'port'],
  ['enableRegistry', 'registry'],
  ['removeRegistry', 'registry'],
  ['collectGarbage', 'registry'],
  ['removeNode', 'node'],
  ['move', 'database'],
  ['deploy', 'database'],
] as const

test('deployments get the kind of their subject from their action', async (t) => {
  const folder = temporaryFolder(t)
  await storeOf(
    folder,
    '0026-runs',
    subjects.map(([action]) => deployment(action, `id-${action}`).replace("'deploy'", `'${action}'`)),
  )
  const store = await openStore(folder)
  t.after(() => store.close())
  const rows = await store.db.selectFrom('deployment').select(['id', 'subjectKind', 'subjectId']).execute()
  assert.deepEqual(
    new Map(rows.map(({ id, subjectKind, subjectId }) => [id, [subjectKind, subjectId]])),
    new Map(subjects.map(([action, kind]) => [action, [kind, `id-${action}`]])),
  )
})

const volumeOf = (id: string, kind: string, state: string, databaseId: string | null) => `
  insert into "volume" ("id", "name", "kind", "dataPath", "nodeId", "nodeName", "nodeAddress", "state", "appName",
    "dockerImage", "settings", "secrets", "createdAt", "databaseId")
    values ('${id}', 'berth-${id}', '${kind}', '/data', 'n', 'n', 'a', '${state}', 'x', 'i', '{}', 's', 't',
      ${databaseId === null ? 'null' : `'${databaseId}'`})`

test('volumes get the database or the registry as their owner', async (t) => {
  const folder = temporaryFolder(t)
  await storeOf(folder, '0026-runs', [
    volumeOf('1', 'redis', 'attached', 'd'),
    volumeOf('2', 'redis', 'kept', null),
    volumeOf('3', 'registry', 'attached', null),
    volumeOf('4', 'registry', 'kept', null),
  ])
  const store = await openStore(folder)
  t.after(() => store.close())
  const rows = await store.db.selectFrom('volume').select(['id', 'ownerKind', 'ownerId']).orderBy('id').execute()
  assert.deepEqual(
    rows.map(({ id, ownerKind, ownerId }) => [id, ownerKind, ownerId]),
    [
      ['1', 'database', 'd'],
      ['2', 'database', null],
      ['3', 'registry', 'registry'],
      ['4', 'registry', null],
    ],
  )
})

test('seals environments, and leaves no plain text in the files', async (t) => {
  const folder = temporaryFolder(t)
  const long = `LONG=${'unseen-long-'.repeat(2000)}`
  const rows = [database('a', "'KEY=unseen-7f3a9'"), database('b', 'null'), database('c', `'${long}'`)]
  await storeOf(folder, '0004-accounts', rows)
  const store = await openStore(folder, () => sealer)
  t.after(() => store.close())
  const databases = await store.db.selectFrom('database').select(['id', 'env']).orderBy('id').execute()
  const opened = databases.map(({ id, env }) => env && sealer.open({ table: 'database', column: 'env', row: id }, env))
  assert.deepEqual(opened, ['KEY=unseen-7f3a9', null, long])
  for (const name of ['berth.db', 'berth.db-wal']) {
    const path = join(folder, name)
    assert.ok(!existsSync(path) || !readFileSync(path, 'latin1').includes('unseen-'), name)
  }
  const due = await store.db.selectFrom('meta').selectAll().where('key', '=', vacuumDue).execute()
  assert.deepEqual(due, [])
})

test('without the master key, does not migrate a store with plain-text environments', async (t) => {
  const folder = temporaryFolder(t)
  await storeOf(folder, '0003-named-deployments', [database('a', "'KEY=text'")])
  await assert.rejects(openStore(folder), /migration of the store to this version failed/)
  const file = new DatabaseSync(join(folder, 'berth.db'))
  const names = file.prepare('select "name" from "kysely_migration" order by "name"').all()
  assert.equal(names.at(-1)?.name, '0003-named-deployments')
  assert.equal(file.prepare('select "env" from "database"').get()?.env, 'KEY=text')
  file.close()
  const store = await openStore(folder, () => sealer)
  await store.close()
})

const manifest = (rows: number[]) =>
  JSON.stringify({ contents: { tables: Object.fromEntries(rows.map((count, at) => [at, { rows: count }])) } })

type Values = Record<string, string | number | null>

/** Returns the statement that inserts a run into a store of version 0022 or earlier. */
const oldRun = (id: string, fields: Values) => run(id, { skipSafetyDump: 0, ...fields })

/** Returns the statement that inserts a run into a store of a version after 0022. */
const run = (id: string, fields: Values) => {
  const row: Values = {
    id,
    action: 'dump',
    trigger: 'manual',
    status: 'done',
    step: 'list',
    attempt: 1,
    dueAt: 't',
    kind: 'postgres',
    database: 'shop',
    destinationId: 'd',
    progressBytes: 0,
    cancelled: 0,
    createdAt: 't',
    finishedAt: 't',
    ...fields,
  }
  const columns = Object.keys(row).map((name) => `"${name}"`)
  const values = Object.values(row).map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
  return `insert into "backupRun" (${columns.join()}) values (${values.join()})`
}

test("runs of Berth's own state get their subject", async (t) => {
  const folder = temporaryFolder(t)
  await storeOf(folder, '0021-backup-identity', [
    oldRun('a', { kind: 'state' }),
    oldRun('b', { kind: 'mongo', manifest: manifest([1]) }),
  ])
  const store = await openStore(folder)
  t.after(() => store.close())
  const rows = await store.db.selectFrom('backupRun').select(['id', 'subjectKind']).orderBy('id').execute()
  assert.deepEqual(
    rows.map(({ id, subjectKind }) => [id, subjectKind]),
    [
      ['a', 'installation'],
      ['b', 'database'],
    ],
  )
})

test('detaches existing safety dumps from backups, and sets their expiry to a week later', async (t) => {
  const folder = temporaryFolder(t)
  const dump = { backupId: 'b', key: 'k' }
  await storeOf(folder, '0021-backup-identity', [
    oldRun('a', { ...dump, trigger: 'safety' }),
    oldRun('b', { ...dump, skipSafetyDump: 1 }),
  ])
  const store = await openStore(folder)
  t.after(() => store.close())
  const [safety, manual] = await store.db.selectFrom('backupRun').selectAll().orderBy('id').execute()
  assert.deepEqual([safety!.backupId, safety!.safety], [null, null])
  assert.deepEqual([manual!.backupId, manual!.safety, manual!.expiresAt], ['b', 'NotWanted', null])
  const days = (Date.parse(safety!.expiresAt!) - Date.now()) / 86_400_000
  assert.ok(days > 6.9 && days <= 7, safety!.expiresAt!)
})

test('stores the row counts of dumps, and keeps only the manifests of existing dumps', async (t) => {
  const folder = temporaryFolder(t)
  await storeOf(folder, '0021-backup-identity', [
    oldRun('1 exists', { key: 'k', manifest: manifest([3, 4]) }),
    oldRun('2 deleted', { manifest: manifest([5]) }),
    oldRun('3 of the state', { kind: 'state', key: 'k', manifest: '{"state":{}}' }),
    oldRun('4 restored', { action: 'restore', key: 'k', manifest: manifest([6]) }),
    oldRun('5 restoring', {
      action: 'restore',
      status: 'running',
      finishedAt: null,
      key: 'k',
      manifest: manifest([6]),
    }),
    oldRun('6 failed', { status: 'error', key: 'k', manifest: manifest([7]) }),
  ])
  const store = await openStore(folder)
  t.after(() => store.close())
  const rows = await store.db.selectFrom('backupRun').select(['id', 'rowCount', 'manifest']).orderBy('id').execute()
  assert.deepEqual(
    rows.map(({ id, rowCount, manifest: kept }) => [id, rowCount, kept !== null]),
    [
      ['1 exists', 7, true],
      ['2 deleted', 5, false],
      ['3 of the state', null, true],
      ['4 restored', null, false],
      ['5 restoring', null, true],
      ['6 failed', null, false],
    ],
  )
})

test('stores the reasons of runs as data, and keeps old sentences as messages', async (t) => {
  const folder = temporaryFolder(t)
  const safetyRunId = 'safety'
  const load = { safetyRunId, isAtomic: true }
  const sentence = "It isn't there"
  const failed = { reason: 'pg_restore ended', fault: JSON.stringify({ reason: 'LoadFailed', ...load }) }
  const interrupted = { reason: 'LoadInterrupted', ...load }
  const idle = { reason: 'ToolIdle', seconds: 600 }
  await storeOf(folder, '0026-runs', [
    run('1 good', {}),
    run('2 sentence', { reason: sentence.replaceAll("'", "''") }),
    run('3 load failed', failed),
    run('4 load interrupted', { fault: JSON.stringify(interrupted), reason: 'The load was interrupted' }),
    run('5 idle', { fault: JSON.stringify(idle) }),
  ])
  const store = await openStore(folder)
  t.after(() => store.close())
  const rows = await store.db.selectFrom('backupRun').select(['id', 'reason']).orderBy('id').execute()
  assert.deepEqual(
    rows.map(({ reason }) => fromJson(reason)),
    [
      null,
      { reason: 'Legacy', message: sentence },
      { reason: 'LoadFailed', safetyRunId, cause: { reason: 'Legacy', message: 'pg_restore ended' }, data: 'unknown' },
      { reason: 'LoadInterrupted', safetyRunId, data: 'unknown' },
      idle,
    ],
  )
})
