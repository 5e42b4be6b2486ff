/** Watching databases that have no work in progress: outages, recoveries and services removed outside Berth. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Behaviour } from '../engine/memory/state.ts'
import { kinds } from '../../src/kinds/index.ts'
import { credentialsIn, databaseClientsOf, waitForRecord, fakeDatabaseServer } from '../fixtures/database-clients.ts'
import { type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

const kind = kinds[0]!

/** Waits for two turns of the watch loop, after which every observation is recorded. */
async function waitForTwoTurns(testBerth: TestBerth): Promise<void> {
  const enough = testBerth.engine.calls.services + 3
  await testBerth.until('two turns of the loop', async () => testBerth.engine.calls.services >= enough || null)
}

// The watch loop runs at most once a second: the tests of this file run concurrently.
describe('watching', { concurrency: true }, () => {
  outageTests()
  recoveryTests()
  repairTests()
  statusTests()
})

function outageTests(): void {
  const outages: [title: string, behaviour: Behaviour, passesMs: number, reason: RegExp][] = [
    [
      'crashes repeatedly',
      'crash:3',
      0,
      /^Still down(?: after \d+ s)?: The server ended with exit code 3\. Its last lines:\nline one\nlast line$/,
    ],
    [
      'runs out of memory repeatedly',
      'out of memory',
      0,
      /^Still down(?: after \d+ s)?: The server ended with exit code 137: out of memory/,
    ],
    ['does not start for a minute', 'starting', 60_000, /^Still down after 60 s: The container has not started/],
    [
      'has no node for a minute',
      'pending:scheduling constraints not satisfied',
      60_000,
      /not available \(scheduling constraints/,
    ],
  ]
  for (const [title, behaviour, passesMs, reason] of outages) {
    test(`reports containerState, then an error, then the recovery of a database that ${title}`, async () => {
      await using testBerth = await startTestBerth()
      const databaseClients = databaseClientsOf(testBerth, kind)
      const database = await databaseClients.createDeployed()
      testBerth.engine.lastLines.set(database.appName, ['line one', 'last line'])
      testBerth.engine.behave(database.appName, 'starting')
      const starting = await waitForRecord(
        testBerth,
        databaseClients,
        database,
        ({ containerState }) => containerState !== 'running',
      )
      assert.deepEqual([starting.containerState, starting.applicationStatus], ['starting', 'done'])
      testBerth.engine.behave(database.appName, behaviour)
      testBerth.pass(passesMs)
      const failed = await waitForRecord(
        testBerth,
        databaseClients,
        database,
        ({ applicationStatus }) => applicationStatus === 'error',
      )
      assert.match(failed.statusReason!, reason)
      assert.equal(failed.statusCode, 'StillDown')
      testBerth.engine.behave(database.appName, 'running')
      const recovered = await waitForRecord(
        testBerth,
        databaseClients,
        database,
        ({ applicationStatus }) => applicationStatus === 'done',
      )
      const statusReason = `Running again. Before that: ${failed.statusReason}`
      assert.deepEqual(recovered, { ...database, statusReason, statusCode: 'Recovered' })
      const [, restart, ...others] = (await testBerth.everything()).deployment!
      assert.deepEqual([restart!.action, restart!.state, others], ['restart', 'done', []])
      assert.equal(
        (await databaseClients.complete('reload', recovered, { appName: recovered.appName })).statusReason,
        null,
      )
    })
  }

  test('reports an outage that began while Berth was down', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    testBerth.engine.setDown(true)
    testBerth.engine.behave(database.appName, 'crash:1')
    await testBerth.restart()
    testBerth.engine.setDown(false)
    assert.match(
      (
        await waitForRecord(
          testBerth,
          databaseClients,
          database,
          ({ applicationStatus }) => applicationStatus === 'error',
        )
      ).statusReason!,
      /exit code 1/,
    )
  })
}

function recoveryTests(): void {
  test('reports no error for a single restart', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    testBerth.engine.behave(database.appName, 'starting')
    await waitForRecord(testBerth, databaseClients, database, ({ containerState }) => containerState === 'starting')
    testBerth.engine.behave(database.appName, 'running')
    const recovered = await waitForRecord(
      testBerth,
      databaseClients,
      database,
      ({ containerState }) => containerState === 'running',
    )
    assert.match(recovered.statusReason!, /^Running again\. Before that: Went down at 2030-/)
    assert.deepEqual({ ...recovered, statusReason: null, statusCode: null }, database)
  })

  test('reports a recovery only after a login', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    testBerth.engine.behave(database.appName, 'crash:1')
    await waitForRecord(testBerth, databaseClients, database, ({ applicationStatus }) => applicationStatus === 'error')
    const server = fakeDatabaseServer(testBerth, kind, [credentialsIn(database, kind)])
    const { accepted } = server
    server.accepted = []
    testBerth.engine.behave(database.appName, 'running')
    await waitForTwoTurns(testBerth)
    assert.equal((await databaseClients.one(database)).applicationStatus, 'error')
    server.accepted = accepted
    await waitForRecord(testBerth, databaseClients, database, ({ applicationStatus }) => applicationStatus === 'done')
  })

  test('reports credentials changed outside Berth after a restart, and retries the login', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    const server = fakeDatabaseServer(testBerth, kind, [
      { ...credentialsIn(database, kind), [kind.secrets[0]!]: 'changed inside' },
    ])
    testBerth.engine.behave(database.appName, 'starting')
    await waitForRecord(testBerth, databaseClients, database, ({ containerState }) => containerState === 'starting')
    testBerth.engine.behave(database.appName, 'running')
    await waitForTwoTurns(testBerth)
    testBerth.pass(20_000)
    const tasks = await databaseClients.tasks(database)
    const before = testBerth.changes()
    const reported = await waitForRecord(
      testBerth,
      databaseClients,
      database,
      ({ applicationStatus }) => applicationStatus === 'error',
    )
    assert.equal(reported.statusCode, 'LoginRefused')
    assert.equal(reported.containerState, 'running')
    const refused = await databaseClients.refused('CONFLICT', 'move', database, { node: 'node1' })
    assert.match(refused.message, /^Server is up but rejects the stored user or password/)
    assert.deepEqual([await databaseClients.tasks(database), testBerth.changes()], [tasks, before])
    // The login is retried with backoff until the credentials are changed back.
    const loginsWithin = async (ms: number) => {
      const { run } = testBerth.engine.calls
      testBerth.pass(ms)
      await waitForTwoTurns(testBerth)
      return testBerth.engine.calls.run - run
    }
    assert.equal(await loginsWithin(4000), 0)
    assert.ok((await loginsWithin(1000)) > 0)
    assert.equal(await loginsWithin(9000), 0)
    assert.ok((await loginsWithin(1000)) > 0)
    assert.deepEqual(await databaseClients.one(database), reported)
    server.accepted = [credentialsIn(database, kind)]
    await waitForTwoTurns(testBerth)
    assert.equal((await databaseClients.one(database)).applicationStatus, 'error')
    testBerth.pass(20_000)
    const again = await waitForRecord(
      testBerth,
      databaseClients,
      database,
      ({ applicationStatus }) => applicationStatus === 'done',
    )
    assert.deepEqual([again.statusReason, again.containerState], [null, 'running'])
  })
}

function repairTests(): void {
  for (const isBerthDown of [false, true]) {
    const when = isBerthDown ? 'down' : 'up'
    test(`recreates on its volume a service that was removed outside Berth while Berth was ${when}`, async () => {
      await using testBerth = await startTestBerth()
      const databaseClients = databaseClientsOf(testBerth, kind)
      const database = await databaseClients.createDeployed()
      await databaseClients.ok('saveEnvironment', database, { env: 'A=1' })
      const removeService = () => testBerth.engine.removeService(database.appName)
      await (isBerthDown ? testBerth.restart(removeService) : removeService())
      await testBerth.until('the service', async () => testBerth.engine.specOf(database.appName))
      const again = await waitForRecord(
        testBerth,
        databaseClients,
        database,
        ({ applicationStatus }) => applicationStatus === 'done',
      )
      assert.deepEqual(
        { ...again, lastDeployedAt: database.lastDeployedAt },
        { ...database, env: 'A=1', pendingChanges: true },
      )
      assert.deepEqual(
        [testBerth.engine.volumes.size, testBerth.engine.specOf(database.appName)!.env.A],
        [1, undefined],
      )
      const [, repair] = (await testBerth.everything()).deployment!
      assert.deepEqual([repair!.action, repair!.state], ['repair', 'done'])
    })
  }

  test('recreates a removed gateway without a new container of the database', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    await databaseClients.complete('saveExternalPort', database, { externalPort: 5000 })
    const tasks = await databaseClients.tasks(database)
    await testBerth.engine.removeService(databaseClients.gateway(database))
    await testBerth.until('the gateway', async () => testBerth.engine.specOf(databaseClients.gateway(database)))
    await waitForRecord(testBerth, databaseClients, database, ({ applicationStatus }) => applicationStatus === 'done')
    assert.deepEqual(await databaseClients.tasks(database), tasks)
  })

  test('does not recreate a service that is stopped or was never deployed', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const [database] = [await databaseClients.createDeployed(), await databaseClients.create()]
    await databaseClients.complete('stop', database)
    await testBerth.engine.removeService(database.appName)
    const before = [await testBerth.everything(), { ...testBerth.changes() }]
    await waitForTwoTurns(testBerth)
    assert.deepEqual([await testBerth.everything(), testBerth.changes()], before)
    assert.equal((await databaseClients.complete('start', database)).applicationStatus, 'done')
  })

  test('does not change foreign services, whatever their names', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    await databaseClients.createDeployed()
    for (const name of ['foreign', 'berth-gateway-x']) testBerth.engine.putForeign(name)
    const before = testBerth.changes()
    await waitForTwoTurns(testBerth)
    assert.deepEqual(testBerth.changes(), before)
    assert.equal((await testBerth.engine.servicesNamed(['foreign', 'berth-gateway-x'])).length, 2)
  })
}

function statusTests(): void {
  test('keeps a status that changeStatus set until Berth observes a change', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    await databaseClients.ok('changeStatus', database, { applicationStatus: 'idle' })
    await waitForTwoTurns(testBerth)
    assert.equal((await databaseClients.one(database)).applicationStatus, 'idle')
    testBerth.engine.behave(database.appName, 'starting')
    await waitForRecord(testBerth, databaseClients, database, ({ containerState }) => containerState === 'starting')
    assert.equal((await databaseClients.one(database)).applicationStatus, 'idle')
    testBerth.engine.behave(database.appName, 'running')
    await waitForRecord(testBerth, databaseClients, database, ({ applicationStatus }) => applicationStatus === 'done')
  })
}
