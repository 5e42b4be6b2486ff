/** Drift: services and containers that were changed outside Berth. Berth reports some changes and repairs others. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { credentialsIn, databaseClientsOf, waitForRecord, fakeDatabaseServer } from '../fixtures/database-clients.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'

const kind = kinds[0]!

// The watch loop runs at most once a second: the tests of this file run concurrently.
describe('drift', { concurrency: true }, () => {
  test('reports a change of a running service, and reverts the change at the next deploy', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    testBerth.engine.alter(database.appName, { env: { FOREIGN: '1' } })
    const changed = await waitForRecord(testBerth, databaseClients, database, ({ drift }) => drift.length > 0)
    assert.match(changed.drift[0]!, /^The Swarm service was changed outside Berth\. Deploy/)
    assert.deepEqual(changed.driftCodes, ['ServiceChanged'])
    const expected = 'the deployed configuration'
    const detail = { code: 'ServiceChanged', subject: 'service', expected, found: 'changed outside Berth' }
    assert.deepEqual(changed.driftDetails, [detail])
    const opened = await databaseClients.complete('saveExternalPort', database, { externalPort: 5000 })
    assert.equal(opened.applicationStatus, 'done')
    assert.deepEqual(testBerth.engine.specOf(database.appName)!.env, { FOREIGN: '1' })
    assert.equal(
      (await waitForRecord(testBerth, databaseClients, database, ({ drift }) => drift.length > 0)).applicationStatus,
      'done',
    )
    const { drift } = await databaseClients.complete('deploy', database)
    assert.deepEqual([drift, testBerth.engine.specOf(database.appName)!.env.FOREIGN], [[], undefined])
  })

  test('repairs a service that was scaled to zero', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    testBerth.engine.alter(database.appName, { replicas: 0 })
    await testBerth.until('the repair', async () => (await testBerth.everything()).deployment![1] ?? null)
    const again = await waitForRecord(
      testBerth,
      databaseClients,
      database,
      ({ applicationStatus }) => applicationStatus === 'done',
    )
    assert.deepEqual([again.drift, testBerth.engine.specOf(database.appName)!.replicas], [[], 1])
  })

  test('repairs a changed gateway without a new container of the database', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    await databaseClients.complete('saveExternalPort', database, { externalPort: 5000 })
    const [tasks, wanted] = [
      await databaseClients.tasks(database),
      testBerth.engine.specOf(databaseClients.gateway(database)),
    ]
    testBerth.engine.alter(databaseClients.gateway(database), { image: 'foreign' })
    await testBerth.until('the repair', async () => {
      const now = testBerth.engine.specOf(databaseClients.gateway(database))
      return now!.image === wanted!.image || null
    })
    assert.deepEqual(await databaseClients.tasks(database), tasks)
  })

  test('replaces a container without network only if it accepts no login', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    const [tasks, server] = [
      await databaseClients.tasks(database),
      fakeDatabaseServer(testBerth, kind, [credentialsIn(database, kind)]),
    ]
    testBerth.engine.detach(database.appName)
    const drifted = await waitForRecord(testBerth, databaseClients, database, ({ drift }) => drift.length > 0)
    assert.deepEqual([drifted.driftCodes, drifted.applicationStatus], [['ContainerDetached'], 'done'])
    assert.deepEqual(await databaseClients.tasks(database), tasks)
    const { accepted } = server
    server.accepted = []
    await testBerth.until('the restart', async () => (await testBerth.everything()).deployment![1] ?? null)
    server.accepted = accepted
    const again = await waitForRecord(
      testBerth,
      databaseClients,
      database,
      ({ applicationStatus }) => applicationStatus === 'done',
    )
    assert.deepEqual([again.drift, again.pendingChanges], [[], false])
    assert.notDeepEqual(await databaseClients.tasks(database), tasks)
  })

  test('recreates a gateway without network', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    await databaseClients.complete('saveExternalPort', database, { externalPort: 5000 })
    const [tasks, [before]] = [
      await databaseClients.tasks(database),
      await testBerth.engine.servicesNamed([databaseClients.gateway(database)]),
    ]
    testBerth.engine.detach(databaseClients.gateway(database))
    await testBerth.until('another gateway', async () => {
      const [now] = await testBerth.engine.servicesNamed([databaseClients.gateway(database)])
      return now !== undefined && now.id !== before!.id ? now : null
    })
    await waitForRecord(testBerth, databaseClients, database, ({ applicationStatus }) => applicationStatus === 'done')
    assert.deepEqual(await databaseClients.tasks(database), tasks)
  })

  test('reports a process that was killed for lack of memory, and keeps the container', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const created = await databaseClients.create()
    await databaseClients.ok('update', created, { memoryLimit: 64 })
    const database = await databaseClients.complete('deploy', created)
    testBerth.engine.emit({ serviceName: database.appName, action: 'oom', isForeign: false })
    const record = await waitForRecord(
      testBerth,
      databaseClients,
      database,
      ({ statusReason }) => statusReason !== null,
    )
    assert.match(record.statusReason!, /was killed at 2030-.* ran out of memory\. memoryLimit is 64 MiB: raise it$/)
    assert.deepEqual({ ...record, statusReason: null, statusCode: null }, database)
  })

  test('discards an observation if a call began after it, even if the work of the call has ended', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const deployed = await databaseClients.createDeployed()
    const { tasks } = testBerth.engine
    // The loop lists tasks after services, so these calls come between its queries. The first turn of the loop has no
    // digest of the database, the second turn has.
    const ports = [5000, null, 5001]
    testBerth.engine.tasks = async (names) => {
      const port = names === undefined ? ports.shift() : undefined
      if (port !== undefined) await databaseClients.complete('saveExternalPort', deployed, { externalPort: port })
      return tasks(names)
    }
    await testBerth.until('every call', async () => (ports.length === 0 ? true : null))
    // The first wait covers the rest of the interrupted turn.
    for (const _ of [1, 2]) await testBerth.until('a turn of the loop', hasListedAgain())
    const { database, deployment } = await testBerth.everything()
    assert.deepEqual(
      deployment!.map(({ action }) => action),
      ['deploy', ...Array<string>(3).fill('saveExternalPort')],
    )
    assert.deepEqual(
      database!.map(({ drift, statusReason }) => [drift, statusReason]),
      [['[]', null]],
    )

    function hasListedAgain(): () => Promise<true | null> {
      const before = testBerth.engine.calls.detached
      return async () => (testBerth.engine.calls.detached > before ? true : null)
    }
  })
})
