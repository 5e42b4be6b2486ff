/** Credentials that a server accepted although the deployment was interrupted before Berth recorded them. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EngineUnavailable } from '../../src/engine/engine.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import { until } from '../engine/until.ts'
import {
  credentialsIn,
  type Database,
  databaseClientsOf,
  fakeDatabaseServer,
  sampleKind,
  type Settings,
} from '../fixtures/database-clients.ts'
import { type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

describe('unrecorded credentials', { concurrency: true }, () => supersededTests(sampleKind))

function supersededTests(kind: Kind): void {
  const [name] = kind.secrets as [string]

  /** Creates a running database whose server accepts the second of three credentials, which Berth did not record. */
  async function interruptRotation(testBerth: TestBerth) {
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed({ appName: 'shop-db' })
    const first = credentialsIn(database, kind)
    const [second, third] = [
      { ...first, [name]: 'the second' },
      { ...first, [name]: 'the third' },
    ]
    const server = fakeDatabaseServer(testBerth, kind, [first, second, third])
    const { answer } = testBerth.engine
    testBerth.engine.answer = (task, program) => {
      const outcome = answer(task, program)
      if (server.rotations.length > 0) throw new EngineUnavailable('the connection broke')
      return outcome
    }
    await databaseClients.ok('update', database, { [name]: 'the second' })
    await databaseClients.ok('deploy', database)
    await until('the rotation', async () => server.rotations.length > 0)
    const restoreConnection = () => {
      testBerth.engine.answer = answer
    }
    return { databaseClients, database, first, second, third, server, restoreConnection }
  }

  test('logs in with the accepted credentials after another deploy superseded the rotation', async () => {
    await using testBerth = await startTestBerth()
    const { databaseClients, database, first, second, third, server, restoreConnection } =
      await interruptRotation(testBerth)
    await databaseClients.ok('update', database, { [name]: 'the third' })
    await databaseClients.ok('deploy', database)
    await testBerth.restart(async () => restoreConnection())
    await until('the end', async () => (await databaseClients.one(database)).applicationStatus === 'done')
    assert.deepEqual(server.rotations, [
      { from: first, to: second },
      { from: second, to: third },
    ])
    const [volume] = await testBerth.app.db.selectFrom('volume').select('tried').execute()
    assert.equal(volume!.tried, null, 'the tried credentials are still stored')
  })

  test('logs in with the accepted credentials after the volume is restored', async () => {
    await using testBerth = await startTestBerth()
    const { databaseClients, database, first, second, server, restoreConnection } = await interruptRotation(testBerth)
    await databaseClients.ok('remove', database)
    restoreConnection()
    const volumeId = await until('the kept volume', async () => {
      const [volume] = await testBerth.ok<{ volumeId: string; state: string }[]>('volume.all')
      return volume?.state === 'kept' && volume.volumeId
    })
    const input = { volumeId, name: 'again', appName: 'again', projectId: testBerth.projectId }
    const done = await databaseClients.complete('deploy', await testBerth.ok<Database>('volume.restore', input))
    assert.deepEqual([done.applicationStatus, credentialsIn(done, kind)], ['done', first])
    assert.deepEqual(server.rotations, [
      { from: first, to: second },
      { from: second, to: first },
    ])
  })

  test('logs in with the first credentials after two deploys superseded the first start', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create({ appName: 'shop-db' })
    const first = credentialsIn(await databaseClients.one(database), kind)
    const settings = ['the second', 'the third'].map((password): Settings => ({ ...first, [name]: password }))
    const server = fakeDatabaseServer(testBerth, kind, [first, ...settings])
    server.accepted = []
    await databaseClients.ok('deploy', database)
    await until('a login', async () => testBerth.engine.calls.run > 0)
    await databaseClients.ok('update', database, settings[0])
    await databaseClients.ok('deploy', database)
    await until('the service', async () => {
      const [volume] = await testBerth.app.db.selectFrom('volume').select('tried').execute()
      return volume?.tried !== null
    })
    server.accepted = [settings[0]!]
    await databaseClients.ok('update', database, settings[1])
    assert.equal((await databaseClients.complete('deploy', database)).applicationStatus, 'done')
    assert.deepEqual(server.accepted, [settings[1]])
  })
}
