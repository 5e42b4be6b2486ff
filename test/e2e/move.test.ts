/** Databases move from worker to worker on a real swarm, with all that their servers hold; and where it fails, not. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { until } from '../engine/until.ts'
import type { Database } from '../fixtures/database-clients.ts'
import { type NodesWorld, openNodes, type Placed } from './nodes-world.ts'

const images = ['postgres:15', 'mariadb:11', 'haproxy:3.0', 'nginx:1']

let runtime: NodesWorld
let placed: Placed[]

before(async () => {
  runtime = await openNodes(3, { ofOwn: images, ofWorkers: images })
  placed = await runtime.place('postgres', 'mariadb')
})

after(() => runtime[Symbol.asyncDispose]())

const otherOf = ({ node }: Placed) => runtime.workers.find((it) => it !== node)!

/** Of the copying; the database's own and its gateway stay. */
async function leftOvers(): Promise<string[]> {
  const names = (await runtime.engine.services()).map(({ name }) => name)
  return [
    ...names.filter((name) => /^berth-(?:source|target)-/.test(name)),
    ...(await runtime.engine.listJobs()).map(({ name }) => name),
  ]
}

async function asOwner<T>(it: Placed, database: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const url = new URL(await it.databaseClients.urlOf(it.database))
  url.pathname = `/${database}`
  const client = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: 5000 })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Has to end well. Each of its programs is a container: on a busy machine it takes minutes. */
async function moved({ databaseClients, database }: Placed, node: NodesWorld['own']): Promise<Database> {
  const { status, body } = await databaseClients.call('move', database, { node: node.name })
  assert.deepEqual([status, body.message], [200, undefined])
  const hasEnded = ({ applicationStatus }: Database) => applicationStatus !== 'running'
  const one = await databaseClients.waitUntil('the move', database, hasEnded, 400_000)
  assert.deepEqual([one.applicationStatus, one.statusReason], ['done', null])
  return one
}

test('each moves with its data and its port, and its old volume is kept', async () => {
  await Promise.all(
    placed.map(async (it) => {
      const { databaseClients, database, node } = it
      await databaseClients.open(database, async (session) => session.write('first'))
      const [old, other] = [await databaseClients.one(database), otherOf(it)]
      const now = await moved(it, other)
      assert.deepEqual([now.node, now.appName], [other.name, database.appName])
      assert.match(now.connection.externalUrl!, new RegExp(`@${other.address.replaceAll('.', '\\.')}:`))
      assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first'])
      assert.deepEqual(await other.docker('volume', 'ls', '--quiet', '--filter', `name=${now.volume}`), [now.volume])
      assert.deepEqual(await node.docker('volume', 'ls', '--quiet', '--filter', `name=${old.volume}`), [old.volume])
      it.node = other
    }),
  )
  assert.deepEqual(await leftOvers(), [])
})

test('roles with their passwords and grants, settings and other databases come along', async () => {
  const it = placed.find(({ databaseClients }) => databaseClients.kind.name === 'postgres')!
  const { databaseClients, database } = it
  await asOwner(it, 'shop', async (client) => {
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
  await asOwner(it, "Oth'er", async (client) => {
    await client.query('create table own as select 5 as five')
  })
  await moved(it, otherOf(it))
  it.node = otherOf(it)
  const url = new URL(await databaseClients.urlOf(database))
  Object.assign(url, { username: 'reader', password: encodeURIComponent("r'eader") })
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  assert.deepEqual((await client.query('select it from note')).rows, [{ it: 'first' }])
  await assert.rejects(client.query('delete from note'), /permission denied/)
  assert.deepEqual((await client.query('show work_mem')).rows, [{ work_mem: '7MB' }])
  await client.end()
  assert.deepEqual((await asOwner(it, "Oth'er", (owner) => owner.query('select five from own'))).rows, [{ five: 5 }])
})

test('what would not come along is named before anything is stopped', async () => {
  const it = placed.find(({ databaseClients }) => databaseClients.kind.name === 'postgres')!
  await asOwner(it, 'shop', (client) => client.query("select pg_create_physical_replication_slot('standby')"))
  const started = await it.databaseClients.open(it.database, (session) => session.uptime())
  const { status, body } = await it.databaseClients.callAndWait('move', it.database, { node: otherOf(it).name })
  assert.equal(status, 422)
  assert.match(body.message, /replication slot "standby"/)
  assert.ok((await it.databaseClients.open(it.database, (session) => session.uptime())) >= started)
  await asOwner(it, 'shop', (client) => client.query("select pg_drop_replication_slot('standby')"))
  assert.deepEqual(await leftOvers(), [])
  await it.databaseClients.done('deploy', it.database)
})

test('a node that is lost in the middle leaves it running where it was, with its data', async () => {
  const it = placed.find(({ databaseClients }) => databaseClients.kind.name === 'mariadb')!
  const { databaseClients, database } = it
  const [old, other] = [await databaseClients.one(database), otherOf(it)]
  const kept = await other.docker('volume', 'ls', '--quiet', '--filter', 'name=berth-')
  const answered = databaseClients.callAndWait('move', database, { node: other.name })
  // It is made once the database has been stopped, and takes a second to come up.
  await until('the copy', async () => (await leftOvers()).some((name) => name.startsWith('berth-source-')), 60_000)
  await other.cut()
  const { status, body } = await answered
  assert.equal(status, 422)
  assert.match(body.message, new RegExp(`could not be moved to ${other.name}: .*Rolled back`, 's'))
  const one = await databaseClients.one(database)
  assert.deepEqual([one.node, one.volume], [old.node, old.volume])
  assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first'])
  await other.mend()
  await until(
    'the fresh volume to go',
    async () => (await other.docker('volume', 'ls', '--quiet', '--filter', 'name=berth-')).join() === kept.join(),
    90_000,
  )
  assert.deepEqual(await leftOvers(), [])
})
