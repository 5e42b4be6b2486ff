/** Drift: how it is reported, and what Berth repairs without a call. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { credentialsIn, databaseClientsOf, seen, serveWith } from '../fixtures/database-clients.ts'
import { startTestBerth } from '../fixtures/test-berth.ts'

const kind = kinds[0]!

// The watch loop runs at most once a second: the tests of this file run concurrently.
describe('drift', { concurrency: true }, () => {
  test('reports a running service that was changed; the next deploy undoes the change', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    testBerth.engine.alter(up.appName, { env: { THEIRS: '1' } })
    const changed = await seen(testBerth, databaseClients, up, ({ drift }) => drift.length > 0)
    assert.match(changed.drift[0]!, /^The Swarm service was changed outside Berth\. Deploy/)
    assert.deepEqual(changed.driftCodes, ['ServiceChanged'])
    const opened = await databaseClients.settle('saveExternalPort', up, { externalPort: 5000 })
    assert.equal(opened.applicationStatus, 'done')
    assert.deepEqual(testBerth.engine.specOf(up.appName)!.env, { THEIRS: '1' })
    assert.equal(
      (await seen(testBerth, databaseClients, up, ({ drift }) => drift.length > 0)).applicationStatus,
      'done',
    )
    const { drift } = await databaseClients.settle('deploy', up)
    assert.deepEqual([drift, testBerth.engine.specOf(up.appName)!.env.THEIRS], [[], undefined])
  })

  test('repairs a changed service that does not run', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    testBerth.engine.alter(up.appName, { replicas: 0 })
    await testBerth.until('the repair', async () => (await testBerth.everything()).deployment![1] ?? null)
    const again = await seen(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus === 'done')
    assert.deepEqual([again.drift, testBerth.engine.specOf(up.appName)!.replicas], [[], 1])
  })

  test('repairs a changed gateway without a new container of the database', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    await databaseClients.settle('saveExternalPort', up, { externalPort: 5000 })
    const [tasks, wanted] = [await databaseClients.tasks(up), testBerth.engine.specOf(databaseClients.gateway(up))]
    testBerth.engine.alter(databaseClients.gateway(up), { image: 'theirs' })
    await testBerth.until('the repair', async () => {
      const now = testBerth.engine.specOf(databaseClients.gateway(up))
      return now!.image === wanted!.image || null
    })
    assert.deepEqual(await databaseClients.tasks(up), tasks)
  })

  test('replaces a disconnected container unless it accepts logins', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    const [tasks, server] = [await databaseClients.tasks(up), serveWith(testBerth, kind, [credentialsIn(up, kind)])]
    testBerth.engine.detach(up.appName)
    const drifted = await seen(testBerth, databaseClients, up, ({ drift }) => drift.length > 0)
    assert.deepEqual([drifted.driftCodes, drifted.applicationStatus], [['ContainerDetached'], 'done'])
    assert.deepEqual(await databaseClients.tasks(up), tasks)
    const { accepted } = server
    server.accepted = []
    await testBerth.until('the restart', async () => (await testBerth.everything()).deployment![1] ?? null)
    server.accepted = accepted
    const again = await seen(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus === 'done')
    assert.deepEqual([again.drift, again.pendingChanges], [[], false])
    assert.notDeepEqual(await databaseClients.tasks(up), tasks)
  })

  test('recreates a disconnected gateway', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    await databaseClients.settle('saveExternalPort', up, { externalPort: 5000 })
    const [tasks, [before]] = [
      await databaseClients.tasks(up),
      await testBerth.engine.servicesNamed([databaseClients.gateway(up)]),
    ]
    testBerth.engine.detach(databaseClients.gateway(up))
    await testBerth.until('another gateway', async () => {
      const [now] = await testBerth.engine.servicesNamed([databaseClients.gateway(up)])
      return now !== undefined && now.id !== before!.id ? now : null
    })
    await seen(testBerth, databaseClients, up, ({ applicationStatus }) => applicationStatus === 'done')
    assert.deepEqual(await databaseClients.tasks(up), tasks)
  })

  test('reports a process killed for lack of memory and leaves the container running', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const made = await databaseClients.create()
    await databaseClients.act('update', made, { memoryLimit: 64 })
    const up = await databaseClients.settle('deploy', made)
    testBerth.engine.emit({ serviceName: up.appName, action: 'oom' })
    const told = await seen(testBerth, databaseClients, up, ({ statusReason }) => statusReason !== null)
    assert.match(told.statusReason!, /was killed at 2030-.* ran out of memory\. memoryLimit is 64 MiB: raise it$/)
    assert.deepEqual({ ...told, statusReason: null, statusCode: null }, up)
  })

  test('discards an observation if a call came in between, even if its work has ended', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const up = await databaseClients.up()
    const { tasks } = testBerth.engine
    // The services are already listed. The first turn has no digest of the database, the second one does.
    const ports = [5000, null, 5001]
    testBerth.engine.tasks = async (names) => {
      const port = names === undefined ? ports.shift() : undefined
      if (port !== undefined) await databaseClients.settle('saveExternalPort', up, { externalPort: port })
      return tasks(names)
    }
    await testBerth.until('every call', async () => (ports.length === 0 ? true : null))
    // The rest of the interrupted turn, and another turn.
    for (const _ of [1, 2]) await testBerth.until('a look', lookedAgain())
    const { database, deployment } = await testBerth.everything()
    assert.deepEqual(
      deployment!.map(({ action }) => action),
      ['deploy', ...Array<string>(3).fill('saveExternalPort')],
    )
    assert.deepEqual(
      database!.map(({ drift, statusReason }) => [drift, statusReason]),
      [['[]', null]],
    )

    function lookedAgain(): () => Promise<true | null> {
      const before = testBerth.engine.calls.detached
      return async () => (testBerth.engine.calls.detached > before ? true : null)
    }
  })
})
