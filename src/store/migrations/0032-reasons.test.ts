/** The migration that replaces stored sentences by data. The API returns the same messages as before. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Kysely, sql } from 'kysely'
import { temporaryFolder } from '../../../test/fixtures/folder.ts'
import { driftAnswer, statusAnswer } from '../../databases/status-message.ts'
import { reasonAnswer } from '../../deployments/reason-message.ts'
import { migrate } from '../migrations.ts'
import type { Schema } from '../schema.ts'
import { sqliteDialect } from '../sqlite/dialect.ts'
import { sealerOf } from '../vault.ts'

const sealer = sealerOf(Buffer.alloc(32, 1))
const database = (id: string, status: string, drift: string) => `
  insert into "database" ("id", "kind", "name", "appName", "dockerImage", "applicationStatus", "statusReason", "drift",
    "createdAt", "settings", "secrets", "goal", "pendingChanges", "removeData", "observed")
    values ('${id}', 'redis', 'n', 'cache-${id}', 'redis:8', 'error', ${status}, '${drift}', 't', '{}', 's', 'up', 0, 0,
    'up')`
const deployment = (id: string, reason: string) => `
  insert into "deployment" ("id", "subjectId", "subjectKind", "action", "state", "phase", "reason", "startedAt",
    "phaseAt") values ('${id}', 'a', 'database', 'deploy', 'error', 'apply', ${reason}, 't', 't')`
const port = `
  insert into "port" ("id", "applicationId", "publishedPort", "targetPort", "protocol", "goal", "applied", "reason",
    "createdAt") values ('p', 'web', 53, 53, 'udp', 'published', 0, 'The gateway is being made', 't')`
const registry = `
  insert into "registryServer" ("id", "goal", "htpasswd", "collecting", "untagged", "collections", "status", "reason")
    values ('registry', 'up', '', 0, 0, 0, 'error', 'The registry does not run')`

test('replaces sentences by the reason Legacy, and keeps null', async (t) => {
  const file = new DatabaseSync(join(temporaryFolder(t), 'berth.db'))
  const db = new Kysely<Schema>({ dialect: sqliteDialect(file, () => undefined) })
  t.after(() => db.destroy())
  await migrate(db, sealer, '0031-backup-subjects')
  const sentence = 'It went down at noon: exit code 3.\nIts last lines:\n"quoted"'
  const rows = [
    database('a', `'${sentence}'`, '["Its service is gone","Its gateway is gone"]'),
    database('b', 'null', '[]'),
    deployment('1', `'${sentence}'`),
    deployment('2', 'null'),
    port,
    registry,
  ]
  for (const row of rows) await sql.raw(row).execute(db)
  await migrate(db, sealer)
  const databases = await db.selectFrom('database').select(['statusReason', 'drift']).orderBy('id').execute()
  assert.deepEqual(
    databases.map(({ statusReason, drift }) => {
      const { driftDetails: _, ...messages } = driftAnswer(drift)
      return { ...statusAnswer(statusReason), ...messages }
    }),
    [
      {
        statusReason: sentence,
        statusCode: 'Legacy',
        drift: ['Its service is gone', 'Its gateway is gone'],
        driftCodes: ['Legacy', 'Legacy'],
      },
      { statusReason: null, statusCode: null, drift: [], driftCodes: [] },
    ],
  )
  const deployments = await db.selectFrom('deployment').select('reason').orderBy('id').execute()
  const others = [
    await db.selectFrom('port').select('reason').executeTakeFirstOrThrow(),
    await db.selectFrom('registryServer').select('reason').executeTakeFirstOrThrow(),
  ]
  assert.deepEqual(
    [...deployments, ...others].map(({ reason }) => reasonAnswer(reason).reason),
    [sentence, null, 'The gateway is being made', 'The registry does not run'],
  )
})
