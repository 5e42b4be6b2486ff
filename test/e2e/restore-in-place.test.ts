/**
 * Restores into databases of the kinds whose restore replaces the volume: everything else on the server stays as it is, and
 * a restore that fails, or whose tool or server is killed, changes nothing.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { MongoClient } from 'mongodb'
import mysql, { type RowDataPacket } from 'mysql2/promise'
import { kindNamed } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { compareData } from '../fixtures/compare-data.ts'
import type { Database } from '../fixtures/database-clients.ts'
import { type BackupEnvironment, createBackup, openBackupEnvironment, type RunAnswer } from './backup-suite.ts'
import { clients } from './clients.ts'
import { type DatabaseClients, databaseClientsOn, type Fields } from './database-clients.ts'
import { representative, shouldTestAll } from './representative.ts'
import { docker } from './swarm.ts'

/** What a kind has on a server besides the database `shop`. */
interface Surroundings {
  /** Adds another database, with what needs the database `shop`, and further accounts. */
  fill(url: string): Promise<void>
  /** What is there, as text. It does not change in a restore of `shop`. */
  read(url: string): Promise<unknown>
  /** Logs in with the account that `fill` has made, and reads from `shop` with its privileges. */
  logIn(url: string): Promise<unknown>
}

async function withMysql<T>(url: string, work: (sql: (text: string) => Promise<RowDataPacket[]>) => Promise<T>) {
  const connection = await mysql.createConnection({ uri: url })
  try {
    return await work(async (text) => (await connection.query<RowDataPacket[]>(text))[0])
  } finally {
    await connection.end()
  }
}

const as = (url: string, username: string, password: string, database: string) =>
  Object.assign(new URL(url), { username, password, pathname: `/${database}` }).href

const mysqlSurroundings: Surroundings = {
  fill: (url) =>
    withMysql(url, async (sql) => {
      for (const text of [
        'create database other',
        'create table other.item (id int primary key, name text)',
        "insert into other.item values (1, 'one'), (2, 'two')",
        'create view other.notes as select count(*) as number from shop.note',
        'create table shop.count (number int)',
        'use shop',
        // With the name of its own database in the text, the dump could not be restored under another name.
        'create trigger counted after insert on note for each row update other.item set name = name',
        'create trigger other.logged after insert on item for each row insert into shop.count values (1)',
        "create user reader@'%' identified by 'secret-of-reader'",
        "grant select on shop.* to reader@'%'",
        "grant select (id) on other.item to reader@'%'",
      ])
        await sql(text)
    }),
  read: (url) =>
    withMysql(url, async (sql) => [
      await sql('select * from other.item order by id'),
      (await sql('show create view other.notes'))[0]!['Create View'],
      (await sql('show create trigger other.logged'))[0]!['SQL Original Statement'],
      await sql("show grants for reader@'%'"),
      await sql('select user, host from mysql.user order by user, host'),
    ]),
  logIn: (url) =>
    withMysql(as(url, 'reader', 'secret-of-reader', 'shop'), async (sql) => [
      (await sql('select count(*) > 0 as has from note'))[0]!.has,
      (await sql('select id from other.item order by id')).map(({ id }) => id as number),
    ]),
}

async function withMongo<T>(url: string, work: (client: MongoClient) => Promise<T>) {
  const client = await new MongoClient(url).connect()
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}

const mongoSurroundings: Surroundings = {
  fill: (url) =>
    withMongo(url, async (client) => {
      await client
        .db('other')
        .collection('item')
        .insertMany([{ name: 'one' }, { name: 'two' }])
      await client.db('other').command({ createUser: 'clerk', pwd: 'secret-of-clerk', roles: ['readWrite'] })
      const roles = [
        { role: 'read', db: 'shop' },
        { role: 'read', db: 'other' },
      ]
      await client.db('admin').command({ createUser: 'reader', pwd: 'secret-of-reader', roles })
    }),
  read: (url) =>
    withMongo(url, async (client) => [
      (await client.db('other').collection('item').find().sort({ name: 1 }).toArray()).map(
        ({ name }) => name as string,
      ),
      (await client.db('admin').collection('system.users').find().sort({ _id: 1 }).toArray()).map(({ _id, roles }) => [
        String(_id),
        roles as unknown,
      ]),
    ]),
  logIn: (url) =>
    withMongo(as(url, 'reader', 'secret-of-reader', ''), async (client) => [
      (await client.db('shop').collection('note').countDocuments()) > 0,
      await client.db('other').collection('item').countDocuments(),
    ]),
}

const surroundingsOf: Record<string, Surroundings> = {
  mariadb: mysqlSurroundings,
  mysql: mysqlSurroundings,
  mongo: mongoSurroundings,
}

const dropMysql = (url: string) => withMysql(url, (sql) => sql('drop database shop'))
const drop: Record<string, (url: string) => Promise<unknown>> = {
  mysql: dropMysql,
  mariadb: dropMysql,
  mongo: (url) => withMongo(url, (client) => client.db('shop').dropDatabase()),
}

let environment: BackupEnvironment
const opened = new AsyncDisposableStack()
before(async () => {
  environment = await openBackupEnvironment(opened)
})
after(() => opened.disposeAsync())

const texts = ['first', 'second']
const wait = { prefer: 'wait=300' }

describe('restores in place', { concurrency: true }, () => {
  const names = Object.keys(surroundingsOf)
  for (const name of names) {
    describe(name, { concurrency: 1 }, () =>
      restoreTests(name, surroundingsOf[name]!, representative(names).includes(name)),
    )
  }
})

/** @param isThorough whether to test failures, too; the kinds differ only in their programs */
function restoreTests(name: string, surroundings: Surroundings, isThorough: boolean): void {
  const kind = kindNamed(name)
  let databaseClients: DatabaseClients
  let database: Database
  let source: { backupId: string; runId: string }
  let key: string
  let present: unknown
  const call = (operation: string, input: Fields, headers: Record<string, string> = wait) =>
    environment.berth.call<RunAnswer>(`backup.${operation}`, input, undefined, headers)
  const restore = (more: Fields = {}, headers = wait) => {
    const input = { ...source, [kind.idField]: database[kind.idField], confirm: database.appName, ...more }
    return call('restore', { skipSafetyDump: true, ...input }, headers)
  }
  const adminUrl = async (pathname = '/shop') => {
    const { databaseRootPassword: password } = await databaseClients.one(database)
    const root = typeof password === 'string' ? { username: 'root', password, pathname } : {}
    return Object.assign(new URL(await databaseClients.urlOf(database)), root).href
  }
  const write = (text: string) => databaseClients.open(database, (session) => session.write(text))
  /** Compares the texts in the database, and everything else on the server. */
  const compare = (expected: string[]) =>
    compareData('the server', async () => {
      assert.deepEqual(await databaseClients.open(database, (session) => session.read()), expected)
      assert.deepEqual(await surroundings.read(await adminUrl()), present)
      assert.ok(await surroundings.logIn(await adminUrl()))
    })
  const endOf = async (runId: string) =>
    until(
      'the end of the restore',
      async () => {
        const { body } = await environment.berth.call<RunAnswer[]>('backup.runs', { serviceId: database[kind.idField] })
        return body.find((run) => run.runId === runId && run.status !== 'running') ?? null
      },
      240_000,
    )
  const isOpen = async (runId: string) => {
    const { db } = environment.berth.app
    const run = db.selectFrom('backupRun').select('finishedAt').where('id', '=', runId)
    return (await run.executeTakeFirstOrThrow()).finishedAt === null
  }
  /** The id of the deployment of the restore, as soon as it has begun. */
  const deploymentOf = (runId: string) =>
    until('the deployment of the restore', async () => {
      const { db } = environment.berth.app
      const run = db.selectFrom('backupRun').select('deploymentId').where('id', '=', runId)
      return (await run.executeTakeFirst())?.deploymentId ?? null
    })

  before(async () => {
    databaseClients = databaseClientsOn(environment.berth, kind, clients[name]!)
    database = await databaseClients.deployed()
    for (const text of texts) await write(text)
    await surroundings.fill(await adminUrl())
    const { body } = await createBackup(environment, kind, database, { prefix: `in-place-${name}` })
    const { body: run } = await call(kind.manualBackup!, { backupId: body.backupId })
    assert.equal(run.status, 'done', JSON.stringify(run))
    source = { backupId: body.backupId, runId: run.runId }
    key = run.key
    await write('written later')
    present = await surroundings.read(await adminUrl())
  })
  after(() => database && databaseClients.clear(database))

  test('replaces one database, and keeps everything else on the server and the old volume', async () => {
    const { volume } = await databaseClients.one(database)
    const { status, body } = await restore()
    assert.deepEqual([status, body.message, body.status, body.data], [200, undefined, 'done', 'replaced'])
    await compare(texts)
    await write('written later')
    const { body: volumes } = await environment.berth.call<{ name: string; state: string }[]>('volume.all', {})
    assert.equal(volumes.find((it) => it.name === volume)?.state, 'kept')
  })

  if (!isThorough) return

  /** Kills the container as soon as the load runs, and asserts that the answer of the run is true. */
  const killDuringLoad = async (containerOf: (deploymentId: string) => string) => {
    const { body } = await restore({}, { prefer: 'respond-async' })
    const deploymentId = await deploymentOf(body.runId)
    const killed = async () => {
      if (!(await isOpen(body.runId))) return true
      const [load] = await docker('ps', '--quiet', '--filter', `name=berth-load-${deploymentId}`)
      const [id] = await docker('ps', '--quiet', '--filter', `name=${containerOf(deploymentId)}`)
      if (load === undefined || id === undefined) return null
      return docker('kill', id).then(
        () => true,
        () => null,
      )
    }
    await until('the kill', killed, 120_000)
    const run = await endOf(body.runId)
    assert.equal(run.data, run.status === 'done' ? 'replaced' : 'unchanged', JSON.stringify(run))
    await compare(run.data === 'replaced' ? texts : [...texts, 'written later'])
    if (run.data === 'replaced') await write('written later')
  }

  test('replaces the data or changes nothing if the tool of the load is killed', () =>
    killDuringLoad((deploymentId) => `berth-load-${deploymentId}`))

  if (shouldTestAll) {
    test('replaces the data or changes nothing if the server on the new volume is killed', () =>
      killDuringLoad((deploymentId) => `berth-target-${deploymentId}`))
  }

  test('restores under another name beside the database', async (t) => {
    // A dump of MongoDB can be restored only under its own name.
    if (name === 'mongo') return t.diagnostic('not possible')
    const { status, body } = await restore({ database: 'another' })
    assert.deepEqual([status, body.message, body.data], [200, undefined, 'replaced'])
    await compare([...texts, 'written later'])
    const url = await adminUrl('/another')
    const notes = await withMysql(url, (sql) => sql('select it from note order by at'))
    assert.deepEqual(
      notes.map(({ it }) => it as string),
      texts,
    )
  })

  test('changes nothing if the object in the storage is damaged', async () => {
    const path = join(environment.storage.filesOf('backups'), key)
    const object = readFileSync(path)
    writeFileSync(path, object.toReversed())
    const { body } = await restore({}, { prefer: 'respond-async' })
    const run = await endOf(body.runId)
    writeFileSync(path, object)
    assert.deepEqual([run.status, run.data], ['error', 'unchanged'], JSON.stringify(run))
    await compare([...texts, 'written later'])
  })

  test('brings back a database that was dropped with everything in it', async () => {
    // A view of another database that needs the dropped one could not be copied.
    if (name !== 'mongo') await withMysql(await adminUrl('/other'), (sql) => sql('drop view notes'))
    await drop[name]!(await adminUrl('/'))
    const { status, body } = await restore({ skipSafetyDump: false })
    assert.deepEqual([status, body.message, body.safety], [200, undefined, 'TargetEmpty'])
    assert.deepEqual(await databaseClients.open(database, (session) => session.read()), texts)
    assert.ok(await surroundings.logIn(await adminUrl()))
  })
}
