/** Stopping Berth while a call waits for work. The call returns the present record, and the work continues later. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseClientsOf, sampleKind } from '../fixtures/database-clients.ts'
import { startTestBerth, wait } from '../fixtures/test-berth.ts'

test('ends the wait of a deploy with status running when Berth stops', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, sampleKind)
  const database = await databaseClients.create()
  testBerth.engine.setDown(true)
  const waiting = databaseClients.call('deploy', database, {}, wait)
  await testBerth.until(
    'the work to begin',
    async () => (await databaseClients.one(database)).applicationStatus === 'running' || null,
  )
  testBerth.app.releaseWaits()
  const { status, body } = await waiting
  assert.deepEqual([status, body.applicationStatus], [200, 'running'])
})
