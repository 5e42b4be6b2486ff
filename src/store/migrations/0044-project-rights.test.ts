/** The migration to rights by project, and the triggers that keep the project of each database. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Kysely, sql } from 'kysely'
import { temporaryFolder } from '../../../test/fixtures/folder.ts'
import { migrate } from '../migrations.ts'
import type { Schema } from '../schema.ts'
import { sqliteDialect } from '../sqlite/dialect.ts'
import { sealerOf } from '../vault.ts'

const sealer = sealerOf(Buffer.alloc(32, 1))
const project = (id: string) => `insert into "project" ("id", "name", "createdAt") values ('${id}', '${id}', 't')`
const database = (id: string, projectId: string | null) => `
  insert into "database" ("id", "kind", "projectId", "name", "appName", "dockerImage", "applicationStatus", "drift",
    "createdAt", "settings", "secrets", "goal", "pendingChanges", "removeData", "observed")
    values ('${id}', 'redis', ${projectId === null ? 'null' : `'${projectId}'`}, 'n', '${id}', 'redis:8', 'done', '[]', 't',
    '{}', 's', 'up', 0, 0, 'up')`
const volume = (id: string, ownerKind: string, ownerId: string | null) => `
  insert into "volume" ("id", "name", "kind", "ownerKind", "ownerId", "dataPath", "nodeId", "nodeName", "nodeAddress",
    "state", "appName", "dockerImage", "settings", "secrets", "createdAt")
    values ('${id}', 'berth-${id}', 'redis', '${ownerKind}', ${ownerId === null ? 'null' : `'${ownerId}'`}, '/data', 'n', 'n',
    'a', 'attached', 'cache', 'redis:8', '{}', 's', 't')`
const deployment = (id: string, kind: string, subjectId: string) => `
  insert into "deployment" ("id", "subjectId", "subjectKind", "action", "state", "phase", "startedAt", "phaseAt")
    values ('${id}', '${subjectId}', '${kind}', 'deploy', 'done', 'apply', 't', 't')`
const account = `insert into "account" ("id", "email", "emailKey", "passwordHash", "rol", "image", "is2FAEnabled",
  "pinStep", "createdAt") values ('ada', 'ada@example.org', 'ada@example.org', '', 'user', '', 0, 0, 't')`

test('accounts keep their reach, and what belongs to a database finds its project', async (t) => {
  const file = new DatabaseSync(join(temporaryFolder(t), 'berth.db'))
  file.exec('pragma foreign_keys = on')
  const db = new Kysely<Schema>({ dialect: sqliteDialect(file, () => undefined) })
  t.after(() => db.destroy())
  const run = (statement: string) => sql.raw(statement).execute(db)
  await migrate(db, sealer, '0043-allowed-sources')
  for (const row of [
    account,
    project('shop'),
    project('bakery'),
    database('a', 'shop'),
    database('gone', null),
    volume('v', 'database', 'a'),
    volume('kept', 'database', null),
    volume('images', 'registry', 'registry'),
    deployment('1', 'database', 'a'),
    deployment('2', 'node', 'n'),
  ]) {
    await run(row)
  }
  await migrate(db, sealer)
  const databasesOf = async (table: 'volume' | 'deployment') =>
    (await db.selectFrom(table).select(['id', 'databaseId']).orderBy('id').execute()).map((it) => [
      it.id,
      it.databaseId,
    ])
  const projects = async () =>
    (await db.selectFrom('projectOfDatabase').selectAll().execute()).map((it) => [it.databaseId, it.projectId])
  assert.deepEqual(await db.selectFrom('account').select('allProjects').execute(), [{ allProjects: 1 }])
  assert.deepEqual(await databasesOf('volume'), [
    ['images', null],
    ['kept', null],
    ['v', 'a'],
  ])
  assert.deepEqual(await databasesOf('deployment'), [
    ['1', 'a'],
    ['2', null],
  ])
  assert.deepEqual(await projects(), [['a', 'shop']])
  await run(database('b', 'shop'))
  await run(`update "database" set "projectId" = 'bakery' where "id" = 'a'`)
  await run(`update "database" set "projectId" = null where "id" = 'b'`)
  await run(`delete from "database" where "id" = 'b'`)
  assert.deepEqual(await projects(), [
    ['a', 'bakery'],
    ['b', 'shop'],
  ])
  await run(`delete from "project" where "id" = 'shop'`)
  assert.deepEqual(await projects(), [['a', 'bakery']])
})
