/**
 * Restores of one kind into an emptied or dropped database, for the kinds whose restore does not replace the volume. The
 * others are tested by restore-in-place.test.ts. A database that does not exist needs no safety dump; the run records why
 * there is none.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from 'redis'
import { compareData } from '../fixtures/compare-data.ts'
import type { BackedUp, BackupEnvironment, RunAnswer } from './backup-suite.ts'
import { sql } from './swarm.ts'

const wait = { prefer: 'wait=300' }

interface Case {
  /** The state of the database before the restore. */
  state: string
  /** The reason why there is no safety dump, or null if there is one. */
  safety: string | null
  empty(url: string): Promise<unknown>
}

const maintenanceUrl = (url: string) => Object.assign(new URL(url), { pathname: '/postgres' }).href

const casesOf: Record<string, Case[]> = {
  postgres: [
    {
      state: 'that was dropped',
      safety: 'TargetEmpty',
      empty: (url) => sql(maintenanceUrl(url), 'drop database shop with (force)'),
    },
    { state: 'whose tables were dropped', safety: null, empty: (url) => sql(url, 'drop table note') },
  ],
  redis: [
    {
      state: 'without keys',
      safety: null,
      empty: async (url) => {
        const redis = await createClient({ url }).connect()
        await redis.flushAll()
        await redis.close()
      },
    },
  ],
}

/**
 * @param context is filled before the tests run
 * @param texts what the dump of the run contains
 */
export function emptiedTests(kind: string, environment: () => BackupEnvironment, context: BackedUp, texts: string[]) {
  for (const { state, safety, empty } of casesOf[kind] ?? []) {
    test(`restores the dump into a database ${state}`, async () => {
      const { databaseClients, database, backupId, runId } = context
      const { idField } = databaseClients.kind
      await empty(await databaseClients.urlOf(database))
      const input = { backupId, runId, [idField]: database[idField], confirm: database.appName }
      const { status, body } = await environment().berth.call<RunAnswer>('backup.restore', input, undefined, wait)
      assert.deepEqual([status, body.message, body.status], [200, undefined, 'done'])
      assert.equal(body.safety, safety)
      assert.equal(body.safetyRunId === null, safety !== null)
      await compareData('the restored texts', async () =>
        assert.deepEqual(await databaseClients.open(database, (session) => session.read()), texts),
      )
    })
  }
}
