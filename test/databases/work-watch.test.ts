/** What Berth sees of databases that nobody is working on: deaths, returns, what was removed behind its back. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Behaviour } from '../engine/memory/state.ts'
import { kinds } from '../../src/kinds/index.ts'
import { openTarget, sealTarget } from '../../src/databases/targets.ts'
import { specsOf } from '../../src/databases/reconcile/specs.ts'
import { credentialsIn, fleetOf, seen, serveWith } from '../fixtures/fleet.ts'
import { type Site, startSite } from '../fixtures/site.ts'

const kind = kinds[0]!

/** Berth has looked at everything twice, so that whatever there was to see is written. */
async function looked(site: Site): Promise<void> {
  const enough = site.engine.calls.services + 3
  await site.until('two looks', async () => site.engine.calls.services >= enough || null)
}

// Berth looks once a second at most: the tests of this file wait side by side.
describe('watching', { concurrency: true }, () => {
  deathTests()
  returnTests()
  repairTests()
  statusTests()
  costTests()
})

function deathTests(): void {
  const deaths: [title: string, behaviour: Behaviour, passesMs: number, reason: RegExp][] = [
    [
      'crashes again and again',
      'crash:3',
      0,
      /^Still down after \d+ s: The server ended with exit code 3\. Its last lines:\nline one\nlast words$/,
    ],
    [
      'runs out of memory again and again',
      'out of memory',
      0,
      /^Still down after \d+ s: The server ended with exit code 137: out of memory/,
    ],
    ['does not come up for a minute', 'starting', 60_000, /^Still down after 60 s: The container has not started/],
    [
      'finds no node for a minute',
      'pending:scheduling constraints not satisfied',
      60_000,
      /not available \(scheduling constraints/,
    ],
  ]
  for (const [title, behaviour, passesMs, reason] of deaths) {
    test(`one that ${title} is shown by its container first, then as an error, as done when it is back`, async () => {
      await using site = await startSite()
      const fleet = fleetOf(site, kind)
      const up = await fleet.up()
      site.engine.lastLines.set(up.appName, ['line one', 'last words'])
      site.engine.behave(up.appName, 'starting')
      const dying = await seen(site, fleet, up, ({ containerState }) => containerState !== 'running')
      assert.deepEqual([dying.containerState, dying.applicationStatus], ['starting', 'done'])
      site.engine.behave(up.appName, behaviour)
      site.pass(passesMs)
      const dead = await seen(site, fleet, up, ({ applicationStatus }) => applicationStatus === 'error')
      assert.match(dead.statusReason!, reason)
      assert.equal(dead.statusCode, 'StillDown')
      site.engine.behave(up.appName, 'running')
      const back = await seen(site, fleet, up, ({ applicationStatus }) => applicationStatus === 'done')
      const statusReason = `Running again. Before that: ${dead.statusReason}`
      assert.deepEqual(back, { ...up, statusReason, statusCode: 'Recovered' })
      const [, restart, ...others] = (await site.everything()).deployment!
      assert.deepEqual([restart!.action, restart!.state, others], ['restart', 'done', []])
      assert.equal((await fleet.settle('reload', back, { appName: back.appName })).statusReason, null)
    })
  }

  test('one that dies while Berth is down is seen when it is back', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    site.engine.setDown(true)
    site.engine.behave(up.appName, 'crash:1')
    await site.restart()
    site.engine.setDown(false)
    assert.match((await seen(site, fleet, up, (it) => it.applicationStatus === 'error')).statusReason!, /exit code 1/)
  })
}

function returnTests(): void {
  test('one that dies once and comes back was never an error', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    site.engine.behave(up.appName, 'starting')
    await seen(site, fleet, up, ({ containerState }) => containerState === 'starting')
    site.engine.behave(up.appName, 'running')
    const back = await seen(site, fleet, up, ({ containerState }) => containerState === 'running')
    assert.match(back.statusReason!, /^Running again\. Before that: Went down at 2030-/)
    assert.deepEqual({ ...back, statusReason: null, statusCode: null }, up)
  })

  test('one that runs again is done only when it answers', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    site.engine.behave(up.appName, 'crash:1')
    await seen(site, fleet, up, ({ applicationStatus }) => applicationStatus === 'error')
    const server = serveWith(site, kind, [credentialsIn(up, kind)])
    const { accepted } = server
    server.accepted = []
    site.engine.behave(up.appName, 'running')
    await looked(site)
    assert.equal((await fleet.one(up)).applicationStatus, 'error')
    server.accepted = accepted
    await seen(site, fleet, up, ({ applicationStatus }) => applicationStatus === 'done')
  })

  test('credentials that someone changed inside are reported after a restart, and it is tried again', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    const server = serveWith(site, kind, [{ ...credentialsIn(up, kind), [kind.secrets[0]!]: 'changed inside' }])
    site.engine.behave(up.appName, 'starting')
    await seen(site, fleet, up, ({ containerState }) => containerState === 'starting')
    site.engine.behave(up.appName, 'running')
    await looked(site)
    site.pass(20_000)
    const tasks = await fleet.tasks(up)
    const before = site.changes()
    const told = await seen(site, fleet, up, ({ applicationStatus }) => applicationStatus === 'error')
    assert.equal(told.statusCode, 'LoginRefused')
    assert.equal(told.containerState, 'running')
    const refused = await fleet.refused('CONFLICT', 'move', up, { node: 'node1' })
    assert.match(refused.message, /^Server is up but rejects the stored user or password/)
    assert.deepEqual([await fleet.tasks(up), { ...site.changes(), run: 0 }], [tasks, { ...before, run: 0 }])
    // It is tried again, ever more rarely, until somebody has changed them back.
    const tries = async (ms: number) => {
      const { run } = site.changes()
      site.pass(ms)
      await looked(site)
      return site.changes().run! - run!
    }
    assert.equal(await tries(4000), 0)
    assert.ok((await tries(1000)) > 0)
    assert.equal(await tries(9000), 0)
    assert.ok((await tries(1000)) > 0)
    assert.deepEqual(await fleet.one(up), told)
    server.accepted = [credentialsIn(up, kind)]
    await looked(site)
    assert.equal((await fleet.one(up)).applicationStatus, 'error')
    site.pass(20_000)
    const again = await seen(site, fleet, up, ({ applicationStatus }) => applicationStatus === 'done')
    assert.deepEqual([again.statusReason, again.containerState], [null, 'running'])
  })
}

function repairTests(): void {
  for (const isBerthDown of [false, true]) {
    const when = isBerthDown ? 'down' : 'up'
    test(`a service removed behind Berth's back is made again on its volume, Berth being ${when}`, async () => {
      await using site = await startSite()
      const fleet = fleetOf(site, kind)
      const up = await fleet.up()
      await fleet.act('saveEnvironment', up, { env: 'A=1' })
      const removeIt = () => site.engine.removeService(up.appName)
      await (isBerthDown ? site.restart(removeIt) : removeIt())
      await site.until('the service', async () => site.engine.specOf(up.appName))
      const again = await seen(site, fleet, up, ({ applicationStatus }) => applicationStatus === 'done')
      assert.deepEqual({ ...again, lastDeployedAt: up.lastDeployedAt }, { ...up, env: 'A=1', pendingChanges: true })
      assert.deepEqual([site.engine.volumes.size, site.engine.specOf(up.appName)!.env.A], [1, undefined])
      const [, repair] = (await site.everything()).deployment!
      assert.deepEqual([repair!.action, repair!.state], ['repair', 'done'])
    })
  }

  test('so is its gateway, and the database keeps its container', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    await fleet.settle('saveExternalPort', up, { externalPort: 5000 })
    const tasks = await fleet.tasks(up)
    await site.engine.removeService(fleet.gateway(up))
    await site.until('the gateway', async () => site.engine.specOf(fleet.gateway(up)))
    await seen(site, fleet, up, ({ applicationStatus }) => applicationStatus === 'done')
    assert.deepEqual(await fleet.tasks(up), tasks)
  })

  test('what is stopped or was never deployed is not made again', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const [up] = [await fleet.up(), await fleet.create()]
    await fleet.settle('stop', up)
    await site.engine.removeService(up.appName)
    const before = [await site.everything(), { ...site.changes() }]
    await looked(site)
    assert.deepEqual([await site.everything(), site.changes()], before)
    assert.equal((await fleet.settle('start', up)).applicationStatus, 'done')
  })

  test('services of others are left alone, whatever they are named', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    await fleet.up()
    for (const name of ['theirs', 'berth-gateway-x']) site.engine.putForeign(name)
    const before = site.changes()
    await looked(site)
    assert.deepEqual(site.changes(), before)
    assert.equal((await site.engine.servicesNamed(['theirs', 'berth-gateway-x'])).length, 2)
  })
}

function statusTests(): void {
  test('a status that was set stays, however often Berth looks, until something new is seen', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    const up = await fleet.up()
    await fleet.act('changeStatus', up, { applicationStatus: 'idle' })
    await looked(site)
    assert.equal((await fleet.one(up)).applicationStatus, 'idle')
    site.engine.behave(up.appName, 'starting')
    await seen(site, fleet, up, ({ containerState }) => containerState === 'starting')
    assert.equal((await fleet.one(up)).applicationStatus, 'idle')
    site.engine.behave(up.appName, 'running')
    await seen(site, fleet, up, ({ applicationStatus }) => applicationStatus === 'done')
  })
}

function costTests(): void {
  test('1,000 databases of which none changed cost no call each: a turn is as many as with one', async () => {
    await using site = await startSite()
    const fleet = fleetOf(site, kind)
    await fleet.up()
    await addMany(site, 999)
    const before = { ...site.engine.calls }
    await site.until('three turns', async () => site.engine.calls.tasks >= before.tasks + 3 || null)
    const { services, tasks, detached, nodes, ...others } = site.engine.calls
    const {
      services: servicesBefore,
      tasks: tasksBefore,
      detached: detachedBefore,
      nodes: nodesBefore,
      ...othersBefore
    } = before
    assert.deepEqual(others, othersBefore)
    const turns = services - servicesBefore
    for (const made of [tasks - tasksBefore, detached - detachedBefore]) {
      assert.ok(Math.abs(made - turns) <= 1, `${made} calls in ${turns} turns`)
    }
    // The loop over the nodes makes that call too.
    assert.ok(nodes - nodesBefore <= 2 * turns + 2, `${nodes - nodesBefore} calls for nodes in ${turns} turns`)
    const { database, deployment } = await site.everything()
    assert.deepEqual([database!.length, deployment!.length], [1000, 1])
  })
}

/** More of the one there is, in the store and on the engine, all up. */
async function addMany(site: Site, count: number): Promise<void> {
  const { db, vault, config } = site.app
  const like = await db.selectFrom('database').selectAll().executeTakeFirstOrThrow()
  const target = openTarget(vault, 'target', like)!
  const rows = Array.from({ length: count }, (_, at) => {
    const id = `${like.id}-${at}`
    return { ...like, id, appName: `db-${at}`, target: sealTarget(vault, 'target', id, target) }
  })
  const volume = await db.selectFrom('volume').selectAll().executeTakeFirstOrThrow()
  for (const row of rows) await site.engine.createService(specsOf(row, target, volume, kind, config).database)
  const taskOf = new Map((await site.engine.tasks()).map(({ serviceName, id }) => [serviceName, id]))
  await site.app.transact(async (tx) => {
    for (const row of rows) {
      await tx
        .insertInto('database')
        .values({ ...row, provenTask: taskOf.get(row.appName)! })
        .execute()
    }
  })
}
