/** Berth is asked to stop while a call waits for work: it is answered with what is true, and the work goes on later. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth, wait } from '../fixtures/test-berth.ts'

for (const kind of kinds) {
  test(`a deploy of ${kind.name} that is waited for is answered as running when Berth stops`, async () => {
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
