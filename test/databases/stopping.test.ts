/** Berth is asked to stop while a call waits for work: it is answered with what is true, and the work goes on later. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { fleetOf } from '../fixtures/fleet.ts'
import { startSite, wait } from '../fixtures/site.ts'

for (const kind of kinds) {
  test(`a deploy of ${kind.name} that is waited for is answered as running when Berth stops`, async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const made = await fleet.create()
    site.engine.setDown(true)
    const waiting = fleet.ask('deploy', made, {}, wait)
    await site.until('work to begin', async () => (await fleet.one(made)).applicationStatus === 'running' || null)
    site.app.releaseWaits()
    const { status, body } = await waiting
    assert.deepEqual([status, body.applicationStatus], [200, 'running'])
  })
}
