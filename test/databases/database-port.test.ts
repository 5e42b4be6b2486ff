/** The external port: a gateway publishes the port, and the database never restarts for it. For every kind. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { until } from '../engine/until.ts'
import { databaseClientsOf, settingsOf } from '../fixtures/database-clients.ts'
import { startTestBerth, wait } from '../fixtures/test-berth.ts'

for (const kind of kinds) {
  describe(`the external port of ${kind.name}`, () => {
    openTests(kind)
    idleTests(kind)
    failureTests(kind)
  })
}

function openTests(kind: Kind): void {
  test('opens, changes and closes the port at once without a new container of the database', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    const tasks = await databaseClients.tasks(up)
    for (const externalPort of [5000, 5001, null, 5000]) {
      assert.equal((await databaseClients.act('saveExternalPort', up, { externalPort })).applicationStatus, 'running')
      const saved = await databaseClients.settle('saveExternalPort', up, { externalPort })
      assert.deepEqual(
        [saved.externalPort, saved.applicationStatus, saved.pendingChanges],
        [externalPort, 'done', false],
      )
      const port = testBerth.engine.specOf(databaseClients.gateway(up))?.ports[0]?.published ?? null
      const url = externalPort === null ? null : kind.url(settingsOf(kind), { host: '192.0.2.10', port: externalPort })
      assert.deepEqual(
        [port, saved.connection.externalUrl, await databaseClients.tasks(up)],
        [externalPort, url, tasks],
      )
    }
  })

  test('leaves other changes of the record to the next deploy', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    await databaseClients.act('update', up, { env: 'A=1' })
    const saved = await databaseClients.settle('saveExternalPort', up, { externalPort: 5000 })
    assert.deepEqual(
      [saved.pendingChanges, saved.env, testBerth.engine.specOf(up.appName)!.env.A],
      [true, 'A=1', undefined],
    )
  })

  test('opens a port set by update at the next deploy', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    const updated = await databaseClients.act('update', up, { externalPort: 5000 })
    assert.deepEqual([updated.externalPort, updated.pendingChanges], [5000, true])
    assert.equal(testBerth.engine.specOf(databaseClients.gateway(up)), null)
    assert.deepEqual(
      [updated, await databaseClients.one(up)].map(({ connection }) => connection.externalUrl),
      [null, null],
    )
    await databaseClients.settle('deploy', up)
    assert.match((await databaseClients.one(up)).connection.externalUrl ?? '', /:5000/)
    assert.equal(testBerth.engine.specOf(databaseClients.gateway(up))!.ports[0]!.published, 5000)
  })

  test('uses the configured public host in external URLs', async () => {
    await using testBerth = await startTestBerth({ BERTH_PUBLIC_HOST: 'db.example.org' })
    const databaseClients = databaseClientsOf(testBerth, kind)
    const { connection } = await databaseClients.settle('saveExternalPort', await databaseClients.up(), {
      externalPort: 5000,
    })
    assert.equal(connection.externalUrl, kind.url(settingsOf(kind), { host: 'db.example.org', port: 5000 }))
  })
}

function idleTests(kind: Kind): void {
  test('stores the port of a service that was never deployed; the first deploy opens it', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const made = await databaseClients.create()
    const before = testBerth.changes()
    const { body, headers } = await databaseClients.ask('saveExternalPort', made, { externalPort: 5000 }, wait)
    assert.deepEqual([body.externalPort, body.applicationStatus, body.connection.externalUrl], [5000, 'idle', null])
    assert.deepEqual([headers['preference-applied'], testBerth.changes()], [undefined, before])
    assert.notEqual((await databaseClients.settle('deploy', made)).connection.externalUrl, null)
    assert.equal(testBerth.engine.specOf(databaseClients.gateway(made))!.ports[0]!.published, 5000)
  })

  test('closes the port at a stop; stores the port of a stopped service for the next start', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    await databaseClients.settle('saveExternalPort', up, { externalPort: 5000 })
    const stopped = await databaseClients.settle('stop', up)
    assert.deepEqual(
      [testBerth.engine.specOf(databaseClients.gateway(up)), stopped.connection.externalUrl],
      [null, null],
    )
    const saved = await databaseClients.act('saveExternalPort', up, { externalPort: 5001 })
    assert.deepEqual([saved.applicationStatus, saved.pendingChanges], ['idle', false])
    await databaseClients.settle('start', up)
    assert.equal(testBerth.engine.specOf(databaseClients.gateway(up))!.ports[0]!.published, 5001)
  })

  test('closes and frees the port at remove', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    await databaseClients.settle('saveExternalPort', up, { externalPort: 5000 })
    await databaseClients.gone(up)
    await databaseClients.settle('saveExternalPort', await databaseClients.up(), { externalPort: 5000 })
  })
}

function failureTests(kind: Kind): void {
  test("reports the engine's error for a port taken on the node, and the database keeps running", async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    const tasks = await databaseClients.tasks(up)
    testBerth.engine.behave(databaseClients.gateway(up), 'pending:host-mode port already in use on 1 node')
    const waiting = databaseClients.ask('saveExternalPort', up, { externalPort: 5000 }, wait)
    await until('the gateway', async () => testBerth.engine.specOf(databaseClients.gateway(up)) !== null)
    testBerth.pass(10_000)
    const { status, body } = await waiting
    assert.equal(status, 422)
    assert.match(
      body.message,
      /The external port could not be opened: The port is taken on the node \(host-mode port already in use/,
    )
    assert.match(body.message, /Rolled back/)
    const after = await databaseClients.one(up)
    assert.deepEqual(
      [after.applicationStatus, after.statusReason, after.externalPort, after.pendingChanges],
      ['error', body.message, 5000, true],
    )
    assert.deepEqual(
      [testBerth.engine.specOf(databaseClients.gateway(up)), await databaseClients.tasks(up)],
      [null, tasks],
    )
    testBerth.engine.behave(databaseClients.gateway(up), 'running')
    assert.equal((await databaseClients.settle('deploy', up)).applicationStatus, 'done')
  })

  test('changes a taken port to a free one without a restart', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    const tasks = await databaseClients.tasks(up)
    testBerth.engine.behave(databaseClients.gateway(up), 'failed:driver failed: address already in use')
    assert.equal((await databaseClients.ask('saveExternalPort', up, { externalPort: 5000 }, wait)).status, 422)
    testBerth.engine.behave(databaseClients.gateway(up), 'running')
    assert.equal((await databaseClients.settle('saveExternalPort', up, { externalPort: 5001 })).pendingChanges, false)
    assert.deepEqual(await databaseClients.tasks(up), tasks)
  })
}
