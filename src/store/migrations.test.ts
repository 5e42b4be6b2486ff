/** A store that an older Berth wrote is brought to this version with what is in it. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Kysely, sql } from 'kysely'
import { temporaryFolder } from '../../test/folder.ts'
import { isOfThisVersion, migrate, vacuumDue } from './migrations.ts'
import { openStore } from './open-sqlite.ts'
import type { Schema } from './schema.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import { sealerOf } from './vault.ts'

const sealer = sealerOf(Buffer.alloc(32, 1))

/** A store as the version left it, with what the statements put there. */
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

const deployment = (id: string, about: string) => `
  insert into "deployment" ("id", "databaseId", "action", "state", "phase", "startedAt", "phaseAt")
    values ('${id}', '${about}', 'deploy', 'done', 'apply', 't', 't')`

test('deployments get the kind and the name of what they are about, where it is still there', async (t) => {
  const folder = temporaryFolder(t)
  const deployments = [deployment('1', 'd'), deployment('2', 'v'), deployment('3', 'gone')]
  await storeOf(folder, '0002-kinds', [database('d', 'null'), volume, ...deployments])
  const store = await openStore(folder)
  t.after(() => store.close())
  const rows = await store.db.selectFrom('deployment').select(['id', 'kind', 'appName']).orderBy('id').execute()
  assert.deepEqual(rows.map(({ id, kind, appName }) => [id, kind, appName]),
    [['1', 'redis', 'cache-d'], ['2', 'mysql', 'kept'], ['3', null, null]])
})

test('environments are sealed, and their old text is nowhere in the files', async (t) => {
  const folder = temporaryFolder(t)
  const long = `LONG=${'unseen-long-'.repeat(2000)}`
  const rows = [database('a', '\'KEY=unseen-7f3a9\''), database('b', 'null'), database('c', `'${long}'`)]
  await storeOf(folder, '0004-accounts', rows)
  const store = await openStore(folder, () => sealer)
  t.after(() => store.close())
  const found = await store.db.selectFrom('database').select(['id', 'env']).orderBy('id').execute()
  const opened = found.map(({ id, env }) => env && sealer.open({ table: 'database', column: 'env', row: id }, env))
  assert.deepEqual(opened, ['KEY=unseen-7f3a9', null, long])
  for (const name of ['berth.db', 'berth.db-wal']) {
    const path = join(folder, name)
    assert.ok(!existsSync(path) || !readFileSync(path, 'latin1').includes('unseen-'), name)
  }
  const due = await store.db.selectFrom('meta').selectAll().where('key', '=', vacuumDue).execute()
  assert.deepEqual(due, [])
})

test('without its key a store with environments in clear stays as it is', async (t) => {
  const folder = temporaryFolder(t)
  await storeOf(folder, '0003-named-deployments', [database('a', '\'KEY=text\'')])
  await assert.rejects(openStore(folder), /could not be brought to this version/)
  const file = new DatabaseSync(join(folder, 'berth.db'))
  const names = file.prepare('select "name" from "kysely_migration" order by "name"').all()
  assert.equal(names.at(-1)?.name, '0003-named-deployments')
  assert.equal(file.prepare('select "env" from "database"').get()?.env, 'KEY=text')
  file.close()
  const store = await openStore(folder, () => sealer)
  await store.close()
})
