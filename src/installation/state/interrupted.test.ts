/** A restore of Berth's own state ends all work that was running when the backup was created, except removals of databases. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configOf, fill, openFilled } from '../../../test/installation/filled-store.ts'
import { temporaryFolder } from '../../../test/fixtures/folder.ts'
import { beginNodeRemoval } from '../../cluster/queries.ts'
import { fromJson } from '../../lib/json.ts'
import { insertRun } from '../../backups/run-queries.ts'
import { endInterrupted } from './interrupted.ts'

const now = new Date('2030-01-01T00:00:00.000Z')
const at = now.toISOString()

test('ends removals of nodes, which would drain a node that may be in use again', async (t) => {
  const config = configOf(temporaryFolder(t))
  await fill(config, 1)
  const { store } = await openFilled(config)
  await store.transact(async (tx) => {
    const subject = { subjectKind: 'node', subjectId: 'n', kind: null, appName: 'web-2', action: 'removeNode' } as const
    const times = { startedAt: at, phaseAt: at, finishedAt: null }
    await tx
      .insertInto('deployment')
      .values({ id: 'w-n', ...subject, state: 'running', phase: 'apply', reason: null, ...times })
      .execute()
    const node = { id: 'n', hostname: 'web-2', state: 'ready', since: at }
    await beginNodeRemoval(tx, node, { deploymentId: 'w-n', force: 1, availability: 'active' })
    await endInterrupted(tx, now)
  })
  const removal = await store.db.selectFrom('node').select(['deploymentId', 'force', 'availability']).execute()
  assert.deepEqual(removal, [{ deploymentId: null, force: 0, availability: '' }])
  const deployment = await store.db.selectFrom('deployment').selectAll().executeTakeFirstOrThrow()
  assert.deepEqual([deployment.state, fromJson(deployment.reason)], ['error', { reason: 'InterruptedByRestore' }])
  await store.close()
})

test('ends runs, deployments and moves with a reason, and continues removals of databases', async (t) => {
  const config = configOf(temporaryFolder(t))
  await fill(config, 4)
  const { store } = await openFilled(config)
  await store.transact(async (tx) => {
    const source = { kind: 'redis', databaseId: 'd0', database: 'x', destinationId: 'destination' }
    const run = { ...source, trigger: 'manual' } as const
    await insertRun(tx, { ...run, id: 'dump', action: 'dump', status: 'running', key: 'a/key', uploadId: 'u' }, now)
    await insertRun(tx, { ...run, id: 'good', action: 'dump', status: 'done', key: 'a/good/key' }, now)
    for (const [id, goal] of [
      ['d1', 'up'],
      ['d2', 'gone'],
      ['d3', 'up'],
    ] as const) {
      await tx
        .insertInto('deployment')
        .values({
          id: `w-${id}`,
          subjectKind: 'database',
          subjectId: id,
          kind: 'redis',
          appName: id,
          action: goal === 'up' ? 'deploy' : 'remove',
          state: 'running',
          phase: 'apply',
          reason: null,
          startedAt: at,
          phaseAt: at,
          finishedAt: null,
        })
        .execute()
      await tx
        .updateTable('database')
        .set({ goal, deploymentId: `w-${id}`, applicationStatus: 'running' })
        .where('id', '=', id)
        .execute()
    }
    const fresh = await tx.selectFrom('volume').selectAll().where('id', '=', 'v-d3').executeTakeFirstOrThrow()
    await tx
      .insertInto('volume')
      .values({ ...fresh, id: 'fresh', name: 'berth-fresh' })
      .execute()
    await tx
      .insertInto('move')
      .values({
        databaseId: 'd3',
        deploymentId: 'w-d3',
        nodeId: 'n2',
        nodeName: 'n2',
        nodeAddress: 'a',
        volumeId: 'fresh',
        step: 'copy',
      })
      .execute()
    await endInterrupted(tx, now)
  })
  const { db } = store
  const runs = await db
    .selectFrom('backupRun')
    .select(['id', 'status', 'key', 'uploadId', 'identity', 'finishedAt'])
    .orderBy('id')
    .execute()
  const ended = { status: 'error', key: null, uploadId: null, identity: null, finishedAt: at }
  assert.deepEqual(runs, [
    { id: 'dump', ...ended },
    { id: 'good', status: 'done', key: 'a/good/key', uploadId: null, identity: null, finishedAt: null },
    { id: 'run', ...ended },
  ])
  const rows = await db
    .selectFrom('database')
    .select(['id', 'deploymentId', 'applicationStatus', 'goal'])
    .orderBy('id')
    .where('id', '!=', 'd0')
    .execute()
  assert.deepEqual(
    rows.map((row) => Object.values(row)),
    [
      ['d1', null, 'error', 'up'],
      ['d2', 'w-d2', 'running', 'gone'],
      ['d3', null, 'error', 'up'],
    ],
  )
  const deployments = await db.selectFrom('deployment').select(['id', 'state', 'reason']).orderBy('id').execute()
  assert.deepEqual(
    deployments.map(({ state }) => state),
    ['error', 'running', 'error'],
  )
  assert.deepEqual(fromJson(deployments[0]!.reason), { reason: 'InterruptedByRestore' })
  assert.deepEqual(await db.selectFrom('move').selectAll().execute(), [])
  const volumes = await db
    .selectFrom('volume')
    .select(['id', 'state'])
    .where('id', 'in', ['fresh', 'v-d3'])
    .orderBy('id')
    .execute()
  assert.deepEqual(
    volumes.map(({ state }) => state),
    ['kept', 'attached'],
  )
  await store.close()
})

test('takes back removals of volumes, published ports and the registry', async (t) => {
  const config = configOf(temporaryFolder(t))
  await fill(config, 2)
  const { store } = await openFilled(config)
  await store.transact(async (tx) => {
    await tx.updateTable('volume').set({ state: 'removing', ownerId: null }).where('id', '=', 'v-d0').execute()
    await tx
      .insertInto('port')
      .values({
        id: 'port',
        applicationId: 'web',
        publishedPort: 8080,
        targetPort: 80,
        protocol: 'tcp',
        goal: 'gone',
        applied: 1,
        reason: null,
        deploymentId: null,
        createdAt: at,
      })
      .execute()
    await tx.updateTable('registryServer').set({ goal: 'gone', registryId: null, volumeId: 'v-d1' }).execute()
    await endInterrupted(tx, now)
  })
  const { db } = store
  const volumes = await db.selectFrom('volume').select(['id', 'state']).orderBy('id').execute()
  assert.deepEqual(
    volumes.map(({ id, state }) => [id, state]),
    [
      ['v-d0', 'kept'],
      ['v-d1', 'kept'],
    ],
  )
  const ports = await db.selectFrom('port').select(['goal', 'deploymentId']).execute()
  assert.deepEqual(ports, [{ goal: 'published', deploymentId: null }])
  assert.deepEqual(await db.selectFrom('registryServer').select('goal').execute(), [])
  await store.close()
})
