/** The external port. A gateway publishes the port, so the database does not restart for a change. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { until } from '../engine/until.ts'
import { databaseClientsOf, sampleKind, settingsOf } from '../fixtures/database-clients.ts'
import { startTestBerth, wait } from '../fixtures/test-berth.ts'

for (const kind of kinds) {
  describe(`the external port of ${kind.name}`, () => {
    openTests(kind)
  })
}

describe('the external port of any kind', () => {
  updateTests(sampleKind)
  idleTests(sampleKind)
  failureTests(sampleKind)
})

function openTests(kind: Kind): void {
  test('saveExternalPort opens, changes and closes the port without a new container of the database', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    const tasks = await databaseClients.tasks(database)
    for (const externalPort of [5000, 5001, null, 5000]) {
      assert.equal(
        (await databaseClients.ok('saveExternalPort', database, { externalPort })).applicationStatus,
        'running',
      )
      const saved = await databaseClients.complete('saveExternalPort', database, { externalPort })
      assert.deepEqual(
        [saved.externalPort, saved.applicationStatus, saved.pendingChanges],
        [externalPort, 'done', false],
      )
      const port = testBerth.engine.specOf(databaseClients.gateway(database))?.ports[0]?.published ?? null
      const url = externalPort === null ? null : kind.url(settingsOf(kind), { host: '192.0.2.10', port: externalPort })
      assert.deepEqual(
        [port, saved.connection.externalUrl, await databaseClients.tasks(database)],
        [externalPort, url, tasks],
      )
    }
  })
}

function updateTests(kind: Kind): void {
  test('saveExternalPort does not deploy other changes of the record', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    await databaseClients.ok('update', database, { env: 'A=1' })
    const saved = await databaseClients.complete('saveExternalPort', database, { externalPort: 5000 })
    assert.deepEqual(
      [saved.pendingChanges, saved.env, testBerth.engine.specOf(database.appName)!.env.A],
      [true, 'A=1', undefined],
    )
  })

  test('opens a port set by update at the next deploy', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    const updated = await databaseClients.ok('update', database, { externalPort: 5000 })
    assert.deepEqual([updated.externalPort, updated.pendingChanges], [5000, true])
    assert.equal(testBerth.engine.specOf(databaseClients.gateway(database)), null)
    assert.deepEqual(
      [updated, await databaseClients.one(database)].map(({ connection }) => connection.externalUrl),
      [null, null],
    )
    await databaseClients.complete('deploy', database)
    assert.match((await databaseClients.one(database)).connection.externalUrl ?? '', /:5000/)
    assert.equal(testBerth.engine.specOf(databaseClients.gateway(database))!.ports[0]!.published, 5000)
  })

  test('uses the configured public host in external URLs', async () => {
    await using testBerth = await startTestBerth({ BERTH_PUBLIC_HOST: 'db.example.org' })
    const databaseClients = databaseClientsOf(testBerth, kind)
    const { connection } = await databaseClients.complete('saveExternalPort', await databaseClients.createDeployed(), {
      externalPort: 5000,
    })
    assert.equal(connection.externalUrl, kind.url(settingsOf(kind), { host: 'db.example.org', port: 5000 }))
  })
}

function idleTests(kind: Kind): void {
  test('stores the port of a service that was never deployed, and opens it at the first deploy', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create()
    const before = testBerth.changes()
    const { body, headers } = await databaseClients.call('saveExternalPort', database, { externalPort: 5000 }, wait)
    assert.deepEqual([body.externalPort, body.applicationStatus, body.connection.externalUrl], [5000, 'idle', null])
    assert.deepEqual([headers['preference-applied'], testBerth.changes()], [undefined, before])
    assert.notEqual((await databaseClients.complete('deploy', database)).connection.externalUrl, null)
    assert.equal(testBerth.engine.specOf(databaseClients.gateway(database))!.ports[0]!.published, 5000)
  })

  test('closes the port at stop, and stores a new port of a stopped service for the next start', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    await databaseClients.complete('saveExternalPort', database, { externalPort: 5000 })
    const stopped = await databaseClients.complete('stop', database)
    assert.deepEqual(
      [testBerth.engine.specOf(databaseClients.gateway(database)), stopped.connection.externalUrl],
      [null, null],
    )
    const saved = await databaseClients.ok('saveExternalPort', database, { externalPort: 5001 })
    assert.deepEqual([saved.applicationStatus, saved.pendingChanges], ['idle', false])
    await databaseClients.complete('start', database)
    assert.equal(testBerth.engine.specOf(databaseClients.gateway(database))!.ports[0]!.published, 5001)
  })

  test('closes the port at remove, so that another service can use it', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    await databaseClients.complete('saveExternalPort', database, { externalPort: 5000 })
    await databaseClients.remove(database)
    await databaseClients.complete('saveExternalPort', await databaseClients.createDeployed(), { externalPort: 5000 })
  })
}

function failureTests(kind: Kind): void {
  test("reports the engine's error if the port is in use on the node, and keeps the database running", async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    const tasks = await databaseClients.tasks(database)
    testBerth.engine.behave(databaseClients.gateway(database), 'pending:host-mode port already in use on 1 node')
    const waiting = databaseClients.call('saveExternalPort', database, { externalPort: 5000 }, wait)
    await until('the gateway', async () => testBerth.engine.specOf(databaseClients.gateway(database)) !== null)
    testBerth.pass(10_000)
    const { status, body } = await waiting
    assert.equal(status, 422)
    assert.match(
      body.message,
      /The external port could not be opened: The port is taken on the node \(host-mode port already in use/,
    )
    assert.match(body.message, /Rolled back/)
    const after = await databaseClients.one(database)
    assert.deepEqual(
      [after.applicationStatus, after.statusReason, after.externalPort, after.pendingChanges],
      ['error', body.message, 5000, true],
    )
    assert.deepEqual(
      [testBerth.engine.specOf(databaseClients.gateway(database)), await databaseClients.tasks(database)],
      [null, tasks],
    )
    testBerth.engine.behave(databaseClients.gateway(database), 'running')
    assert.equal((await databaseClients.complete('deploy', database)).applicationStatus, 'done')
  })

  test('changes a port in use to a free port without a new container of the database', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed()
    const tasks = await databaseClients.tasks(database)
    testBerth.engine.behave(databaseClients.gateway(database), 'failed:driver failed: address already in use')
    assert.equal((await databaseClients.call('saveExternalPort', database, { externalPort: 5000 }, wait)).status, 422)
    testBerth.engine.behave(databaseClients.gateway(database), 'running')
    assert.equal(
      (await databaseClients.complete('saveExternalPort', database, { externalPort: 5001 })).pendingChanges,
      false,
    )
    assert.deepEqual(await databaseClients.tasks(database), tasks)
  })
}
