/** How what runs may differ from what was deployed, what Berth says of it, and what it mends by itself. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { credentialsIn, fleetOf, seen, serveWith } from '../fixtures/fleet.ts'
import { startSite } from '../fixtures/site.ts'

const kind = kinds[0]!

// Berth looks once a second at most: the tests of this file wait side by side.
describe('drift', { concurrency: true }, () => {
  test('one that someone changed runs on and says so; the next deploy undoes the change', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    site.engine.alter(up.appName, { env: { THEIRS: '1' } })
    const changed = await seen(site, fleet, up, ({ drift }) => drift.length > 0)
    assert.match(changed.drift[0]!, /^The Swarm service was changed outside Berth\. Deploy/)
    assert.deepEqual(changed.driftCodes, ['ServiceChanged'])
    const opened = await fleet.settle('saveExternalPort', up, { externalPort: 5000 })
    assert.equal(opened.applicationStatus, 'done')
    assert.deepEqual(site.engine.specOf(up.appName)!.env, { THEIRS: '1' })
    assert.equal((await seen(site, fleet, up, ({ drift }) => drift.length > 0)).applicationStatus, 'done')
    const { drift } = await fleet.settle('deploy', up)
    assert.deepEqual([drift, site.engine.specOf(up.appName)!.env.THEIRS], [[], undefined])
  })

  test('one that someone changed so that it does not run is put back', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    site.engine.alter(up.appName, { replicas: 0 })
    await site.until('the repair', async () => (await site.everything()).deployment![1] ?? null)
    const again = await seen(site, fleet, up, ({ applicationStatus }) => applicationStatus === 'done')
    assert.deepEqual([again.drift, site.engine.specOf(up.appName)!.replicas], [[], 1])
  })

  test('a gateway that someone changed is put back, and the database keeps its container', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    await fleet.settle('saveExternalPort', up, { externalPort: 5000 })
    const [tasks, wanted] = [await fleet.tasks(up), site.engine.specOf(fleet.gateway(up))]
    site.engine.alter(fleet.gateway(up), { image: 'theirs' })
    await site.until('the repair', async () => {
      const now = site.engine.specOf(fleet.gateway(up))
      return now!.image === wanted!.image || null
    })
    assert.deepEqual(await fleet.tasks(up), tasks)
  })

  test('one that was taken off the network gets a new container, unless it answers', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    const [tasks, server] = [await fleet.tasks(up), serveWith(site, kind, [credentialsIn(up, kind)])]
    site.engine.detach(up.appName)
    const drifted = await seen(site, fleet, up, ({ drift }) => drift.length > 0)
    assert.deepEqual([drifted.driftCodes, drifted.applicationStatus], [['ContainerDetached'], 'done'])
    assert.deepEqual(await fleet.tasks(up), tasks)
    const { accepted } = server
    server.accepted = []
    await site.until('the restart', async () => (await site.everything()).deployment![1] ?? null)
    server.accepted = accepted
    const again = await seen(site, fleet, up, ({ applicationStatus }) => applicationStatus === 'done')
    assert.deepEqual([again.drift, again.pendingChanges], [[], false])
    assert.notDeepEqual(await fleet.tasks(up), tasks)
  })

  test('a gateway that was taken off the network is made again', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    await fleet.settle('saveExternalPort', up, { externalPort: 5000 })
    const [tasks, [before]] = [await fleet.tasks(up), await site.engine.servicesNamed([fleet.gateway(up)])]
    site.engine.detach(fleet.gateway(up))
    await site.until('another gateway', async () => {
      const [now] = await site.engine.servicesNamed([fleet.gateway(up)])
      return now !== undefined && now.id !== before!.id ? now : null
    })
    await seen(site, fleet, up, ({ applicationStatus }) => applicationStatus === 'done')
    assert.deepEqual(await fleet.tasks(up), tasks)
  })

  test('a process that was killed for want of memory is told, and what runs is left alone', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const made = await fleet.create()
    await fleet.act('update', made, { memoryLimit: 64 })
    const up = await fleet.settle('deploy', made)
    site.engine.tell({ serviceName: up.appName, action: 'oom' })
    const told = await seen(site, fleet, up, ({ statusReason }) => statusReason !== null)
    assert.match(told.statusReason!, /was killed at 2030-.* ran out of memory\. memoryLimit is 64 MiB: raise it$/)
    assert.deepEqual({ ...told, statusReason: null, statusCode: null }, up)
  })

  test('what a look sees is nothing once a call came in between, though its work has ended', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    const { tasks } = site.engine
    // The services were listed by then. The first time nothing is known of the database, the second time it is.
    const ports = [5000, null, 5001]
    site.engine.tasks = async (names) => {
      const port = names === undefined ? ports.shift() : undefined
      if (port !== undefined) await fleet.settle('saveExternalPort', up, { externalPort: port })
      return tasks(names)
    }
    await site.until('every call', async () => (ports.length === 0 ? true : null))
    // The whole of the look that the last one came into, and another.
    for (const _ of [1, 2]) await site.until('a look', lookedAgain())
    const { database, deployment } = await site.everything()
    assert.deepEqual(
      deployment!.map(({ action }) => action),
      ['deploy', ...Array<string>(3).fill('saveExternalPort')],
    )
    assert.deepEqual(
      database!.map(({ drift, statusReason }) => [drift, statusReason]),
      [['[]', null]],
    )

    function lookedAgain(): () => Promise<true | null> {
      const before = site.engine.calls.detached
      return async () => (site.engine.calls.detached > before ? true : null)
    }
  })
})
