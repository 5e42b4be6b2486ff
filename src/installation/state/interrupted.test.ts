/** A restore of Berth's own state ends all work that was running when the backup was created, except removals. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configOf, fill, openFilled } from '../../../test/installation/filled-store.ts'
import { temporaryFolder } from '../../../test/fixtures/folder.ts'
import { fromJson } from '../../lib/json.ts'
import {
  findTls,
  findTlsVolume,
  recordDigest,
  recordStart,
  recordTlsVolume,
  updateTls,
} from '../../databases/tls/queries.ts'
import { insertRun } from '../../backups/run-queries.ts'
import { endInterrupted } from './interrupted.ts'

const now = new Date('2030-01-01T00:00:00.000Z')
const at = now.toISOString()

test('ends runs, deployments and moves with a reason, and continues removals', async (t) => {
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

test('forgets which certificates the servers present, and whether they refuse connections without TLS', async (t) => {
  const config = configOf(temporaryFolder(t))
  await fill(config, 2)
  const { store } = await openFilled(config)
  await store.transact(async (tx) => {
    await recordStart(tx, 'd0', 'allow')
    await updateTls(tx, 'd0', { servedFingerprint: 'f', servedSince: at })
    await recordTlsVolume(tx, { name: 'berth-tls-v-d0', volumeId: 'v-d0', nodeId: 'n1' }, now)
    await recordDigest(tx, 'berth-tls-v-d0', 'digest')
    await endInterrupted(tx, now)
  })
  const tls = await findTls(store.db, 'd0')
  assert.deepEqual([tls?.isRequired, tls?.servedFingerprint, tls?.servedSince], [1, null, null])
  assert.equal((await findTlsVolume(store.db, 'berth-tls-v-d0'))?.digest, null)
  await store.close()
})
