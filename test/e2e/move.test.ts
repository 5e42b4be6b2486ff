/** Moves databases between workers of a real swarm, with all data of their servers, and rolls back a failed move. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { until } from '../engine/until.ts'
import type { Database } from '../fixtures/database-clients.ts'
import { type MultiNodeBerth, startMultiNodeBerth, type PlacedDatabase } from './multi-node-berth.ts'

const images = ['postgres:15', 'mariadb:11', 'redis:8', 'haproxy:3.0', 'nginx:1']

let runtime: MultiNodeBerth
let placed: PlacedDatabase[]

before(async () => {
  runtime = await startMultiNodeBerth(3, { managerImages: images, workerImages: images })
  placed = await runtime.deployOnWorkers('postgres', 'mariadb', 'redis')
})

after(() => runtime[Symbol.asyncDispose]())

const otherWorker = ({ node }: PlacedDatabase) => runtime.workers.find((worker) => worker !== node)!

/** Returns the names of services and jobs that exist only during a move. */
async function moveServices(): Promise<string[]> {
  const names = (await runtime.engine.services()).map(({ name }) => name)
  return [
    ...names.filter((name) => /^berth-(?:source|target)-/.test(name)),
    ...(await runtime.engine.listJobs()).map(({ name }) => name),
  ]
}

/** Connects to a database of the placed server as its owner. */
async function asOwner<T>(target: PlacedDatabase, name: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const url = new URL(await target.databaseClients.urlOf(target.database))
  url.pathname = `/${name}`
  const client = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: 5000 })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Moves a database and asserts success. A move starts several containers and can take minutes on a busy machine. */
async function moveTo({ databaseClients, database }: PlacedDatabase, node: MultiNodeBerth['own']): Promise<Database> {
  const { status, body } = await databaseClients.call('move', database, { node: node.name })
  assert.deepEqual([status, body.message], [200, undefined])
  const hasEnded = ({ applicationStatus }: Database) => applicationStatus !== 'running'
  const moved = await databaseClients.waitUntil('the move to end', database, hasEnded, 400_000)
  assert.deepEqual([moved.applicationStatus, moved.statusReason], ['done', null])
  return moved
}

/** Creates what the dump of a database does not contain: a role with grants and settings, and another database. */
async function addRoles(target: PlacedDatabase): Promise<void> {
  await asOwner(target, 'shop', async (client) => {
    for (const sql of [
      "create role reader login password 'r''eader' connection limit 7",
      'create role readers nologin',
      'grant readers to reader',
      'grant select on note to readers',
      'revoke all on database shop from public',
      'grant connect on database shop to readers',
      "alter role reader in database shop set work_mem = '7MB'",
      'alter database shop set search_path = public, "$user"',
      'create database "Oth\'er" owner reader',
    ])
      await client.query(sql)
  })
  await asOwner(target, "Oth'er", async (client) => {
    await client.query('create table own as select 5 as five')
  })
}

test('a move takes the data and the port along and keeps the old volume', async () => {
  await Promise.all(
    placed.map(async (target) => {
      const { databaseClients, database, node } = target
      const volumesOf = (worker: MultiNodeBerth['own'], name: string | null) => worker.volumes(name!)
      await databaseClients.open(database, async (session) => session.write('first'))
      if (databaseClients.kind.name === 'postgres') await addRoles(target)
      const [previous, other] = [await databaseClients.one(database), otherWorker(target)]
      const moved = await moveTo(target, other)
      assert.deepEqual([moved.node, moved.appName], [other.name, database.appName])
      assert.match(moved.connection.externalUrl!, new RegExp(`@${other.address.replaceAll('.', '\\.')}:`))
      assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first'])
      assert.deepEqual(await volumesOf(other, moved.volume), [moved.volume])
      assert.deepEqual(await volumesOf(node, previous.volume), [previous.volume])
      target.node = other
    }),
  )
  assert.deepEqual(await moveServices(), [])
})

test('the move took roles with passwords and grants, settings, and other databases along', async () => {
  const target = placed.find(({ databaseClients }) => databaseClients.kind.name === 'postgres')!
  const { databaseClients, database } = target
  const url = new URL(await databaseClients.urlOf(database))
  Object.assign(url, { username: 'reader', password: encodeURIComponent("r'eader") })
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  assert.deepEqual((await client.query('select it from note')).rows, [{ it: 'first' }])
  await assert.rejects(client.query('delete from note'), /permission denied/)
  assert.deepEqual((await client.query('show work_mem')).rows, [{ work_mem: '7MB' }])
  await client.end()
  assert.deepEqual((await asOwner(target, "Oth'er", (owner) => owner.query('select five from own'))).rows, [
    { five: 5 },
  ])
})

test('with the record from before the move, the server runs on, and nothing starts on the old volume', async () => {
  const target = placed.find(({ databaseClients }) => databaseClients.kind.name === 'postgres')!
  const { databaseClients, database } = target
  const { db, transact } = runtime.berth.app
  const moved = await databaseClients.one(database)
  const [old, fresh] = await Promise.all(
    [database.volume!, moved.volume!].map((name) =>
      db.selectFrom('volume').selectAll().where('name', '=', name).executeTakeFirstOrThrow(),
    ),
  )
  const { ownerId } = fresh!
  /** What a restore of Berth's state changes: the database has one of the two volumes. */
  const record = (volumeId: string, state: 'kept' | 'attached') =>
    transact(async (tx) => {
      await tx.updateTable('database').set({ volumeId }).where('id', '=', ownerId).execute()
      const owner = { state, ownerId: state === 'kept' ? null : ownerId }
      await tx.updateTable('volume').set(owner).where('id', '=', old!.id).execute()
    })
  // The record will name the old node, where nothing listens.
  const session = await databaseClients.client.connect(await databaseClients.urlOf(database))
  const uptimeBefore = await session.uptime()
  await record(old!.id, 'attached')
  const isLeftAlone = ({ statusCode }: Database) => statusCode === 'PlacedElsewhere'
  await databaseClients.waitUntil('the report', database, isLeftAlone, 60_000)
  for (const verb of ['start', 'deploy']) {
    const { status, body } = await databaseClients.callAndWait(verb, database, {})
    assert.deepEqual(
      [status, body.message.includes(`has the volume ${moved.volume} on node`)],
      [422, true],
      body.message,
    )
  }
  assert.ok((await session.uptime()) >= uptimeBefore)
  await session.close()
  const users = await runtime.engine.volumeUse(old!.name, old!.nodeId)
  assert.deepEqual([users.exists, users.services, users.containers], [true, [], []])
  await record(fresh!.id, 'kept')
  const isUp = ({ applicationStatus }: Database) => applicationStatus === 'done'
  await databaseClients.waitUntil('the login', database, isUp, 60_000)
  assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first'])
})

test('a move is refused before the server stops, with the name of an object that cannot be moved', async () => {
  const target = placed.find(({ databaseClients }) => databaseClients.kind.name === 'postgres')!
  const { databaseClients, database } = target
  await asOwner(target, 'shop', (client) => client.query("select pg_create_physical_replication_slot('standby')"))
  const uptimeBefore = await databaseClients.open(database, (session) => session.uptime())
  const { status, body } = await databaseClients.callAndWait('move', database, { node: otherWorker(target).name })
  assert.equal(status, 422)
  assert.match(body.message, /replication slot "standby"/)
  assert.ok((await databaseClients.open(database, (session) => session.uptime())) >= uptimeBefore)
  await asOwner(target, 'shop', (client) => client.query("select pg_drop_replication_slot('standby')"))
  assert.deepEqual(await moveServices(), [])
  await databaseClients.done('deploy', database)
})

test('a move is rolled back with its data if the new node becomes unreachable', async () => {
  const target = placed.find(({ databaseClients }) => databaseClients.kind.name === 'mariadb')!
  const { databaseClients, database } = target
  const [previous, other] = [await databaseClients.one(database), otherWorker(target)]
  const volumesBefore = await other.volumes('berth-')
  const moving = databaseClients.callAndWait('move', database, { node: other.name })
  // Berth creates this service after the database has stopped. The service takes about a second to start.
  await until(
    'the copy service',
    async () => (await moveServices()).some((name) => name.startsWith('berth-source-')),
    60_000,
  )
  await other.disconnect()
  const { status, body } = await moving
  assert.equal(status, 422)
  assert.match(body.message, new RegExp(`could not be moved to ${other.name}: .*Rolled back`, 's'))
  const current = await databaseClients.one(database)
  assert.deepEqual([current.node, current.volume], [previous.node, previous.volume])
  assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first'])
  await other.connect()
  await until(
    'the new volume to be removed',
    async () => (await other.volumes('berth-')).join() === volumesBefore.join(),
    90_000,
  )
  assert.deepEqual(await moveServices(), [])
})
