/** Berth's own account on a server: when it is made, what it is used for, and what happens if rights are missing. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kindNamed } from '../../src/kinds/index.ts'
import { ownNameOf } from '../../src/kinds/kind.ts'
import { readConditions, untilPresent } from '../conditions/conditions.ts'
import { type Database, databaseClientsOf } from '../fixtures/database-clients.ts'
import { startTestBerth, type TestBerth, wait } from '../fixtures/test-berth.ts'
import { kind, reload, start } from './owned-server.ts'

const volumeOf = ({ app }: TestBerth, database: Database) =>
  app.db
    .selectFrom('volume')
    .selectAll()
    .where('ownerId', '=', String(database[kind.idField]))
    .executeTakeFirstOrThrow()

describe("Berth's own account", { concurrency: true }, () => {
  test('is made once at the first login, recorded sealed, and in no answer', async () => {
    const started = await start()
    await using testBerth = started.testBerth
    const { database, server, clients } = started
    assert.deepEqual([server.own!.user, server.changes], [ownNameOf(String(database[kind.idField])), ['made']])
    const { ownAccount, access } = await volumeOf(testBerth, database)
    assert.equal(access, 'complete')
    assert.ok(!ownAccount!.includes(server.own!.password))
    assert.ok(!JSON.stringify(await clients.one(database)).includes(server.own!.password))
    await reload(started)
    assert.deepEqual(server.changes, ['made'])
  })

  test('is made at the next login of a database of an older version, also if that version recorded none', async () => {
    const started = await start()
    await using testBerth = started.testBerth
    const { database, server } = started
    await testBerth.app.transact((tx) => tx.updateTable('volume').set({ ownAccount: null, access: null }).execute())
    await reload(started)
    assert.deepEqual(server.changes, ['made', 'made'])
    assert.equal((await volumeOf(testBerth, database)).access, 'complete')
  })

  test('works on if root cannot log in over the network: a reload succeeds, and a condition says it', async () => {
    const started = await start()
    await using testBerth = started.testBerth
    const { clients, database, server } = started
    server.isRootRemote = false
    assert.equal((await reload(started)).applicationStatus, 'done')
    const { DatabaseRootRefused: found } = await untilPresent(testBerth, 'DatabaseRootRefused')
    assert.match(found!.reason, /^The server refuses root over the network/)
    await clients.ok('update', database, { databasePassword: 'changed' })
    assert.equal((await clients.complete('deploy', database)).applicationStatus, 'done')
    assert.deepEqual([server.user, server.changes], ['changed', ['made', `changed by ${server.own!.user}`]])
    server.isRootRemote = true
    await reload(started)
    await untilPresent(testBerth)
  })

  test('is made again over the network or through the socket if it was removed', async () => {
    const started = await start()
    await using _ = started.testBerth
    const { server } = started
    const { own } = server
    server.own = null
    await reload(started)
    assert.deepEqual([server.own, server.changes], [own, ['made', 'made']])
    Object.assign(server, { own: null, isRootRemote: false })
    await reload(started)
    assert.deepEqual([server.own, server.changes], [own, ['made', 'made', 'made inside']])
  })

  test('is not needed to run: without every way to make it, the database is up and a condition says so', async () => {
    const started = await start({ isRootRemote: false, hasSocket: false })
    await using testBerth = started.testBerth
    const { clients, database, server } = started
    assert.equal(database.applicationStatus, 'done')
    await untilPresent(testBerth, 'DatabaseRightsLost')
    await clients.ok('update', database, { databaseRootPassword: 'changed' })
    const { status, body } = await clients.call('deploy', database, {}, wait)
    assert.deepEqual([status, server.changes], [422, []])
    assert.match(body.message, /^The server refuses the new credentials/)
    assert.deepEqual(Object.keys(await readConditions(testBerth)).length > 0, true)
  })

  test('stores a password of root that was changed in the server', async () => {
    const started = await start()
    await using testBerth = started.testBerth
    const { clients, database, server } = started
    server.root = 'changed inside'
    assert.equal((await reload(started)).applicationStatus, 'done')
    await untilPresent(testBerth, 'DatabaseRootRefused')
    await clients.ok('update', database, { databaseRootPassword: 'changed inside' })
    await clients.complete('deploy', database)
    assert.deepEqual(server.changes, ['made'])
    await untilPresent(testBerth)
  })
})

test('a user cannot have a name that begins with berth_', async () => {
  await using testBerth = await startTestBerth()
  for (const name of ['postgres', 'mysql', 'mariadb', 'mongo']) {
    const clients = databaseClientsOf(testBerth, kindNamed(name))
    const database = await clients.create()
    await clients.refused('BAD_REQUEST', 'update', database, { databaseUser: 'berth_me' }, 'databaseUser')
  }
})
