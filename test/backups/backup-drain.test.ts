/** A node that is about to be drained finishes the runs of backups that have begun, and begins no others. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextRuns } from '../../src/backups/runs/next-runs.ts'
import { beginNodeRemoval, endNodeRemoval } from '../../src/cluster/queries.ts'
import { kindNamed } from '../../src/kinds/index.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'
import { createDestination, insertDump } from './backups.ts'

test('begins no run on a node that waits for its drain', async () => {
  await using testBerth = await startTestBerth()
  const { app } = testBerth
  const { postgresId } = await databaseClientsOf(testBerth, kindNamed('postgres')).createDeployed()
  const columns = { backupId: 'b', databaseId: postgresId as string, destinationId: await createDestination(testBerth) }
  // The loop of this Berth does not begin them: they are due later.
  const later = new Date(testBerth.now().getTime() + 3600_000)
  const dueAt = later.toISOString()
  const waiting = await insertDump(testBerth, { ...columns, status: 'waiting', dueAt })
  const running = await insertDump(testBerth, { ...columns, status: 'running', dueAt })
  const next = async () => (await nextRuns(app.db, new Map(), 9, later)).map(({ id }) => id)
  assert.deepEqual(await next(), [waiting, running])
  const node = { id: 'node1', hostname: 'memory', state: 'ready', since: dueAt }
  await app.transact((tx) => beginNodeRemoval(tx, node, { deploymentId: 'drain', force: 0, availability: 'active' }))
  assert.deepEqual(await next(), [running])
  await app.transact((tx) => endNodeRemoval(tx, 'node1'))
  assert.deepEqual(await next(), [waiting, running])
})
