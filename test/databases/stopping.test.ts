/** Stopping Berth while a call waits for work. The call returns the present record, and the work continues later. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth, wait } from '../fixtures/test-berth.ts'

for (const kind of kinds) {
  test(`ends the wait of a ${kind.name} deploy with status running when Berth stops`, async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
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
}
