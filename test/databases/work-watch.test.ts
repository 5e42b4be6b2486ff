/** Watching databases without work in progress: outages, recoveries and services removed outside Berth. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Behaviour } from '../engine/memory/state.ts'
import { kinds } from '../../src/kinds/index.ts'
import { openTarget, sealTarget } from '../../src/databases/targets.ts'
import { specsOf } from '../../src/databases/reconcile/specs.ts'
import { credentialsIn, databaseClientsOf, seen, serveWith } from '../fixtures/database-clients.ts'
import { type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

const kind = kinds[0]!

/** Waits for two turns of the watch loop, after which every observation is recorded. */
async function looked(testBerth: TestBerth): Promise<void> {
  const enough = testBerth.engine.calls.services + 3
  await testBerth.until('two looks', async () => testBerth.engine.calls.services >= enough || null)
}

// The watch loop runs at most once a second: the tests of this file run concurrently.
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
      /^Still down(?: after \d+ s)?: The server ended with exit code 3\. Its last lines:\nline one\nlast words$/,
    ],
    [
      'runs out of memory again and again',
      'out of memory',
      0,
      /^Still down(?: after \d+ s)?: The server ended with exit code 137: out of memory/,
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
    test(`a database that ${title} shows containerState first, then an error, and done after recovery`, async () => {
      await using testBerth = await startTestBerth()
      const databaseClients = databaseClientsOf(testBerth, kind)
      const up = await databaseClients.up()
      testBerth.engine.lastLines.set(up.appName, ['line one', 'last words'])
      testBerth.engine.behave(up.appName, 'starting')
      const dying = await seen(testBerth, databaseClients, up, ({ containerState }) => containerState !== 'running')
      assert.deepEqual([dying.containerState, dying.applicationStatus], ['starting', 'done'])
      testBerth.engine.behave(up.appName, behaviour)
      testBerth.pass(passesMs)
      const dead = await seen(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus === 'error')
      assert.match(dead.statusReason!, reason)
      assert.equal(dead.statusCode, 'StillDown')
      testBerth.engine.behave(up.appName, 'running')
      const back = await seen(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus === 'done')
      const statusReason = `Running again. Before that: ${dead.statusReason}`
      assert.deepEqual(back, { ...up, statusReason, statusCode: 'Recovered' })
      const [, restart, ...others] = (await testBerth.everything()).deployment!
      assert.deepEqual([restart!.action, restart!.state, others], ['restart', 'done', []])
      assert.equal((await databaseClients.settle('reload', back, { appName: back.appName })).statusReason, null)
    })
  }

  test('observes an outage that began while Berth was down', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    testBerth.engine.setDown(true)
    testBerth.engine.behave(up.appName, 'crash:1')
    await testBerth.restart()
    testBerth.engine.setDown(false)
    assert.match(
      (await seen(testBerth, databaseClients, up, (it) => it.applicationStatus === 'error')).statusReason!,
      /exit code 1/,
    )
  })
}

function returnTests(): void {
  test('reports no error for a single restart', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    testBerth.engine.behave(up.appName, 'starting')
    await seen(testBerth, databaseClients, up, ({ containerState }) => containerState === 'starting')
    testBerth.engine.behave(up.appName, 'running')
    const back = await seen(testBerth, databaseClients, up, ({ containerState }) => containerState === 'running')
    assert.match(back.statusReason!, /^Running again\. Before that: Went down at 2030-/)
    assert.deepEqual({ ...back, statusReason: null, statusCode: null }, up)
  })

  test('reports done only after a login', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    testBerth.engine.behave(up.appName, 'crash:1')
    await seen(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus === 'error')
    const server = serveWith(testBerth, kind, [credentialsIn(up, kind)])
    const { accepted } = server
    server.accepted = []
    testBerth.engine.behave(up.appName, 'running')
    await looked(testBerth)
    assert.equal((await databaseClients.one(up)).applicationStatus, 'error')
    server.accepted = accepted
    await seen(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus === 'done')
  })

  test('reports credentials changed outside Berth after a restart, and retries the login', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    const server = serveWith(testBerth, kind, [{ ...credentialsIn(up, kind), [kind.secrets[0]!]: 'changed inside' }])
    testBerth.engine.behave(up.appName, 'starting')
    await seen(testBerth, databaseClients, up, ({ containerState }) => containerState === 'starting')
    testBerth.engine.behave(up.appName, 'running')
    await looked(testBerth)
    testBerth.pass(20_000)
    const tasks = await databaseClients.tasks(up)
    const before = testBerth.changes()
    const told = await seen(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus === 'error')
    assert.equal(told.statusCode, 'LoginRefused')
    assert.equal(told.containerState, 'running')
    const refused = await databaseClients.refused('CONFLICT', 'move', up, { node: 'node1' })
    assert.match(refused.message, /^Server is up but rejects the stored user or password/)
    assert.deepEqual(
      [await databaseClients.tasks(up), { ...testBerth.changes(), run: 0 }],
      [tasks, { ...before, run: 0 }],
    )
    // The login is retried with backoff until the credentials are changed back.
    const tries = async (ms: number) => {
      const { run } = testBerth.changes()
      testBerth.pass(ms)
      await looked(testBerth)
      return testBerth.changes().run! - run!
    }
    assert.equal(await tries(4000), 0)
    assert.ok((await tries(1000)) > 0)
    assert.equal(await tries(9000), 0)
    assert.ok((await tries(1000)) > 0)
    assert.deepEqual(await databaseClients.one(up), told)
    server.accepted = [credentialsIn(up, kind)]
    await looked(testBerth)
    assert.equal((await databaseClients.one(up)).applicationStatus, 'error')
    testBerth.pass(20_000)
    const again = await seen(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus === 'done')
    assert.deepEqual([again.statusReason, again.containerState], [null, 'running'])
  })
}

function repairTests(): void {
  for (const isBerthDown of [false, true]) {
    const when = isBerthDown ? 'down' : 'up'
    test(`recreates a service that was removed outside Berth on its volume, with Berth ${when}`, async () => {
      await using testBerth = await startTestBerth()
      const databaseClients = databaseClientsOf(testBerth, kind)
      const up = await databaseClients.up()
      await databaseClients.act('saveEnvironment', up, { env: 'A=1' })
      const removeIt = () => testBerth.engine.removeService(up.appName)
      await (isBerthDown ? testBerth.restart(removeIt) : removeIt())
      await testBerth.until('the service', async () => testBerth.engine.specOf(up.appName))
      const again = await seen(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus === 'done')
      assert.deepEqual({ ...again, lastDeployedAt: up.lastDeployedAt }, { ...up, env: 'A=1', pendingChanges: true })
      assert.deepEqual([testBerth.engine.volumes.size, testBerth.engine.specOf(up.appName)!.env.A], [1, undefined])
      const [, repair] = (await testBerth.everything()).deployment!
      assert.deepEqual([repair!.action, repair!.state], ['repair', 'done'])
    })
  }

  test('recreates a removed gateway without a new container of the database', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    await databaseClients.settle('saveExternalPort', up, { externalPort: 5000 })
    const tasks = await databaseClients.tasks(up)
    await testBerth.engine.removeService(databaseClients.gateway(up))
    await testBerth.until('the gateway', async () => testBerth.engine.specOf(databaseClients.gateway(up)))
    await seen(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus === 'done')
    assert.deepEqual(await databaseClients.tasks(up), tasks)
  })

  test('does not recreate a service that is stopped or was never deployed', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const [up] = [await databaseClients.up(), await databaseClients.create()]
    await databaseClients.settle('stop', up)
    await testBerth.engine.removeService(up.appName)
    const before = [await testBerth.everything(), { ...testBerth.changes() }]
    await looked(testBerth)
    assert.deepEqual([await testBerth.everything(), testBerth.changes()], before)
    assert.equal((await databaseClients.settle('start', up)).applicationStatus, 'done')
  })

  test('leaves foreign services as they are, whatever their names', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    await databaseClients.up()
    for (const name of ['theirs', 'berth-gateway-x']) testBerth.engine.putForeign(name)
    const before = testBerth.changes()
    await looked(testBerth)
    assert.deepEqual(testBerth.changes(), before)
    assert.equal((await testBerth.engine.servicesNamed(['theirs', 'berth-gateway-x'])).length, 2)
  })
}

function statusTests(): void {
  test('keeps a status that was set until something new is observed', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    await databaseClients.act('changeStatus', up, { applicationStatus: 'idle' })
    await looked(testBerth)
    assert.equal((await databaseClients.one(up)).applicationStatus, 'idle')
    testBerth.engine.behave(up.appName, 'starting')
    await seen(testBerth, databaseClients, up, ({ containerState }) => containerState === 'starting')
    assert.equal((await databaseClients.one(up)).applicationStatus, 'idle')
    testBerth.engine.behave(up.appName, 'running')
    await seen(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus === 'done')
  })
}

function costTests(): void {
  test('needs as many engine calls for 1,000 unchanged databases as for one', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    await databaseClients.up()
    await addMany(testBerth, 999)
    const before = { ...testBerth.engine.calls }
    await testBerth.until('three turns', async () => testBerth.engine.calls.tasks >= before.tasks + 3 || null)
    const { services, tasks, detached, nodes, ...others } = testBerth.engine.calls
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
    // The loop of the nodes makes that call too.
    assert.ok(nodes - nodesBefore <= 2 * turns + 2, `${nodes - nodesBefore} calls for nodes in ${turns} turns`)
    const { database, deployment } = await testBerth.everything()
    assert.deepEqual([database!.length, deployment!.length], [1000, 1])
  })
}

/** Copies the one database in the store and on the engine, all up. */
async function addMany(testBerth: TestBerth, count: number): Promise<void> {
  const { db, vault, config } = testBerth.app
  const like = await db.selectFrom('database').selectAll().executeTakeFirstOrThrow()
  const target = openTarget(vault, 'target', like)!
  const rows = Array.from({ length: count }, (_, at) => {
    const id = `${like.id}-${at}`
    return { ...like, id, appName: `db-${at}`, target: sealTarget(vault, 'target', id, target) }
  })
  const volume = await db.selectFrom('volume').selectAll().executeTakeFirstOrThrow()
  for (const row of rows) await testBerth.engine.createService(specsOf(row, target, volume, kind, config).database)
  const taskOf = new Map((await testBerth.engine.tasks()).map(({ serviceName, id }) => [serviceName, id]))
  await testBerth.app.transact(async (tx) => {
    for (const row of rows) {
      await tx
        .insertInto('database')
        .values({ ...row, provenTask: taskOf.get(row.appName)! })
        .execute()
    }
  })
}
