/** The statements on databases that other features call. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { folderUnder } from '../../test/fixtures/folder.ts'
import { configOf, fill, openFilled } from '../../test/installation/filled-store.ts'
import { toJson } from '../lib/json.ts'
import { failForLostData, failForUnknownOutcome, forgetProjectsOfRemovedDatabases } from './queries.ts'
import type { StatusReason } from './status.ts'

const end = new AsyncDisposableStack()
const config = configOf(folderUnder(end))
await fill(config, 3)
const { store } = await openFilled(config)
end.defer(() => store.close())
after(() => end.disposeAsync())

const reason: StatusReason = { reason: 'InterruptedByRestore' }
const now = new Date('2030-01-01T00:00:00.000Z')
const row = (id: string) => store.db.selectFrom('database').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

test('marks a database as down and clears its deployment if the outcome of the deployment is unknown', async () => {
  const before = await row('d0')
  await store.transact((tx) => failForUnknownOutcome(tx, 'd0', reason))
  const failed = { applicationStatus: 'error', statusReason: toJson(reason), observed: 'down', deploymentId: null }
  assert.deepEqual(await row('d0'), { ...before, ...failed })
})

test('marks a database as failed if its data is lost, unless the database is being removed', async () => {
  const [kept, removing] = [await row('d1'), { ...(await row('d2')), goal: 'gone' }]
  await store.transact(async (tx) => {
    await tx.updateTable('database').set({ goal: 'gone' }).where('id', '=', 'd2').execute()
    for (const id of ['d1', 'd2']) await failForLostData(tx, id, reason, now)
  })
  const failed = {
    applicationStatus: 'error',
    statusReason: toJson(reason),
    observed: 'down',
    containerState: 'missing',
  }
  assert.deepEqual(await row('d1'), { ...kept, ...failed, downSince: now.toISOString() })
  assert.deepEqual(await row('d2'), removing)
})

test('forgets the projects of removed databases of which nothing is left', async () => {
  const { id: projectId } = await store.db.selectFrom('project').select('id').executeTakeFirstOrThrow()
  const ids = async () =>
    (await store.db.selectFrom('projectOfDatabase').select('databaseId').orderBy('databaseId').execute()).map(
      ({ databaseId }) => databaseId,
    )
  const before = await ids()
  await store.transact(async (tx) => {
    for (const databaseId of ['gone', 'kept']) {
      await tx.insertInto('projectOfDatabase').values({ databaseId, projectId }).execute()
    }
    await tx.updateTable('volume').set({ databaseId: 'kept' }).where('databaseId', '=', 'd0').execute()
  })
  await store.transact(forgetProjectsOfRemovedDatabases)
  assert.deepEqual(await ids(), [...before, 'kept'])
})
