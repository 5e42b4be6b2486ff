/** Servers keep the secrets of the first start on their volume, so that changed passwords change no service. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import type { Kind } from '../../src/kinds/kind.ts'
import {
  credentialsIn,
  type Database,
  databaseClientsOf,
  fakeDatabaseServer,
  type Settings,
  sampleKind,
} from '../fixtures/database-clients.ts'
import { startTestBerth, type TestBerth } from '../fixtures/test-berth.ts'
import { openMove } from './moves.ts'

const secretsOf = (kind: Kind, text: string): Settings => Object.fromEntries(kind.secrets.map((name) => [name, text]))

/** The parts of a service that contain its secrets. */
function shown(testBerth: TestBerth, { appName }: Pick<Database, 'appName'>): string {
  const { env, files } = testBerth.engine.specOf(appName)!
  return JSON.stringify([env, files])
}

/** Changes all secrets of a running database to the text, on a server that accepts the present ones. */
async function changeSecrets(
  testBerth: TestBerth,
  kind: Kind,
  database: Database,
  text: string,
  nodeAddress?: string,
): Promise<Database> {
  const databaseClients = databaseClientsOf(testBerth, kind)
  const ports = database.externalPort === null ? [] : [database.externalPort]
  const present = credentialsIn(await databaseClients.one(database), kind)
  const changed = { ...present, ...secretsOf(kind, text) }
  fakeDatabaseServer(testBerth, kind, [present, changed], ports, nodeAddress)
  await databaseClients.ok('update', database, changed)
  return databaseClients.complete('deploy', database)
}

/** Waits until the watch loop has looked at the database, and returns its drift. */
async function driftOf(testBerth: TestBerth, kind: Kind, database: Database): Promise<string[]> {
  const { tasks } = testBerth.engine.calls
  await testBerth.until('two turns', async () => testBerth.engine.calls.tasks >= tasks + 2 || null)
  return (await databaseClientsOf(testBerth, kind).one(database)).driftCodes
}

describe('the secrets of the first start', { concurrency: true }, () => {
  for (const kind of kinds) {
    test(`changed passwords of ${kind.name} change no service, and later containers start with the first`, async () => {
      await using testBerth = await startTestBerth()
      const databaseClients = databaseClientsOf(testBerth, kind)
      const database = await databaseClients.createDeployed({ appName: 'shop-db' })
      const [first, tasks] = [shown(testBerth, database), await databaseClients.tasks(database)]
      for (const text of ['the second', 'the third']) {
        await changeSecrets(testBerth, kind, database, text)
        assert.deepEqual([await databaseClients.tasks(database), shown(testBerth, database)], [tasks, first])
        assert.deepEqual(await driftOf(testBerth, kind, database), [])
      }
      await databaseClients.complete('reload', database, { appName: 'shop-db' })
      assert.notDeepEqual(await databaseClients.tasks(database), tasks)
      assert.equal(shown(testBerth, database), first)
    })
  }

  const kind = sampleKind
  const variable = 'POSTGRES_PASSWORD'

  test('a changed name restarts the server, with the first password', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed({ appName: 'shop-db', databasePassword: 'the first' })
    const tasks = await databaseClients.tasks(database)
    const present = credentialsIn(database, kind)
    const changed = { ...present, databaseUser: 'other', databasePassword: 'the second' }
    fakeDatabaseServer(testBerth, kind, [present, changed])
    await databaseClients.ok('update', database, changed)
    await databaseClients.complete('deploy', database)
    assert.notDeepEqual(await databaseClients.tasks(database), tasks)
    const { env } = testBerth.engine.specOf('shop-db')!
    assert.deepEqual([env.POSTGRES_USER, env[variable]], ['other', 'the first'])
  })

  test('a password that was changed before the first login reaches the image', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.create({ appName: 'shop-db', databasePassword: 'the first' })
    const first = credentialsIn(await databaseClients.one(database), kind)
    fakeDatabaseServer(testBerth, kind, [{ ...first, databasePassword: 'the second' }])
    testBerth.engine.behave('shop-db', 'starting')
    await databaseClients.ok('deploy', database)
    await testBerth.until('the container', async () =>
      (await databaseClients.tasks(database)).length === 1 ? true : null,
    )
    testBerth.engine.behave('shop-db', 'running')
    await databaseClients.ok('update', database, { databasePassword: 'the second' })
    await databaseClients.complete('deploy', database)
    assert.equal(testBerth.engine.specOf('shop-db')!.env[variable], 'the second')
  })

  test('a database of an older Berth does not restart, neither at the upgrade nor with a changed password', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed({ appName: 'shop-db', databasePassword: 'the first' })
    const tasks = await databaseClients.tasks(database)
    await testBerth.app.transact((tx) => tx.updateTable('volume').set({ startSecrets: null }).execute())
    await testBerth.restart()
    assert.deepEqual(await driftOf(testBerth, kind, database), [])
    for (const text of ['the second', 'the third']) {
      await changeSecrets(testBerth, kind, database, text)
      assert.deepEqual(await databaseClients.tasks(database), tasks)
    }
    assert.equal(testBerth.engine.specOf('shop-db')!.env[variable], 'the first')
  })

  test('an empty volume gets the present password, with acceptNewData and with another volume', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed({ appName: 'shop-db', databasePassword: 'the first' })
    const { volume } = await changeSecrets(testBerth, kind, database, 'the second')
    await databaseClients.complete('stop', database)
    testBerth.engine.loseVolume(volume!)
    await databaseClients.complete('start', database, { acceptNewData: true })
    assert.equal(testBerth.engine.specOf('shop-db')!.env[variable], 'the second')
  })

  test('a service on a kept volume starts with the first password of the volume', async () => {
    await using testBerth = await startTestBerth()
    const databaseClients = databaseClientsOf(testBerth, kind)
    const database = await databaseClients.createDeployed({ appName: 'shop-db', databasePassword: 'the first' })
    await changeSecrets(testBerth, kind, database, 'the second')
    await databaseClients.remove(database)
    const [kept] = await testBerth.ok<{ volumeId: string }[]>('volume.all')
    const input = { volumeId: kept!.volumeId, name: 'again', projectId: testBerth.projectId }
    const again = await testBerth.ok<Database>('volume.restore', input)
    const { databasePassword } = await databaseClients.complete('deploy', again)
    assert.deepEqual(
      [databasePassword, testBerth.engine.specOf(again.appName)!.env[variable]],
      ['the second', 'the first'],
    )
  })

  test('a server on the new volume of a move starts with the password that its data had at the move', async () => {
    await using context = await openMove()
    const { testBerth, databaseClients } = context
    const database = await databaseClients.one(context.database)
    const { answer } = testBerth.engine
    const first = testBerth.engine.specOf(database.appName)!.env.MYSQL_PASSWORD
    await changeSecrets(testBerth, databaseClients.kind, database, 'the second')
    assert.equal(testBerth.engine.specOf(database.appName)!.env.MYSQL_PASSWORD, first)
    testBerth.engine.answer = answer
    await databaseClients.complete('move', database, { node: 'second' })
    assert.equal(testBerth.engine.specOf(database.appName)!.env.MYSQL_PASSWORD, 'the second')
    const tasks = await databaseClients.tasks(database)
    await changeSecrets(testBerth, databaseClients.kind, database, 'the third', '192.0.2.22')
    assert.deepEqual(await databaseClients.tasks(database), tasks)
  })
})

test('a log masks the password of the first start, which a later server can print', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, sampleKind)
  const database = await databaseClients.createDeployed({ appName: 'shop-db', databasePassword: 'the first' })
  for (const text of ['the second', 'the third']) await changeSecrets(testBerth, sampleKind, database, text)
  testBerth.engine.behave('shop-db', 'crash:3')
  testBerth.engine.lastLines.set('shop-db', ['password: the first'])
  const { body } = await databaseClients.call('reload', database, { appName: 'shop-db' }, { prefer: 'wait=30' })
  assert.match(body.message, /password: \*+/)
  assert.doesNotMatch(body.message, /the first/)
})
