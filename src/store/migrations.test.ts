/** A store that an older Berth wrote is brought to this version with what is in it. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/folder.ts'
import { openStore } from './open-sqlite.ts'

test('deployments get the kind and the name of what they are about, where it is still there', async (t) => {
  const folder = temporaryFolder(t)
  await (await openStore(folder)).close()
  const file = new DatabaseSync(join(folder, 'berth.db'))
  const setUp = `
    pragma foreign_keys = off;
    alter table "deployment" drop column "kind";
    alter table "deployment" drop column "appName";
    delete from "kysely_migration" where "name" >= '0003';
    insert into "database" ("id", "kind", "name", "appName", "dockerImage", "applicationStatus", "createdAt",
      "settings", "secrets", "goal", "pendingChanges", "removeData", "observed")
      values ('d', 'redis', 'n', 'cache', 'redis:8', 'done', 't', '{}', 's', 'up', 0, 0, 'up');
    insert into "volume" ("id", "name", "kind", "dataPath", "nodeId", "nodeName", "nodeAddress", "state", "appName",
      "dockerImage", "settings", "secrets", "createdAt")
      values ('v', 'berth-v', 'mysql', '/data', 'n', 'n', 'a', 'removing', 'kept', 'mysql:8', '{}', 's', 't')`
  for (const statement of setUp.split(';')) file.prepare(statement).run()
  for (const [id, about] of [['1', 'd'], ['2', 'v'], ['3', 'gone']]) {
    file.prepare(`insert into "deployment" ("id", "databaseId", "action", "state", "phase", "startedAt", "phaseAt")
      values (?, ?, 'deploy', 'done', 'apply', 't', 't')`).run(id!, about!)
  }
  file.close()
  const store = await openStore(folder)
  t.after(() => store.close())
  const rows = await store.db.selectFrom('deployment').select(['id', 'kind', 'appName']).orderBy('id').execute()
  assert.deepEqual(rows.map(({ id, kind, appName }) => [id, kind, appName]),
    [['1', 'redis', 'cache'], ['2', 'mysql', 'kept'], ['3', null, null]])
})
