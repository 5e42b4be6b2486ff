/** Stopping Berth while a call waits for work: the call receives the present record, and the work continues later. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth, wait } from '../fixtures/test-berth.ts'

for (const kind of kinds) {
  test(`responds running to a waiting deploy of ${kind.name} when Berth stops`, async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const made = await databaseClients.create()
    testBerth.engine.setDown(true)
    const waiting = databaseClients.ask('deploy', made, {}, wait)
    await testBerth.until(
      'work to begin',
      async () => (await databaseClients.one(made)).applicationStatus === 'running' || null,
    )
    testBerth.app.releaseWaits()
    const { status, body } = await waiting
    assert.deepEqual([status, body.applicationStatus], [200, 'running'])
  })
}
