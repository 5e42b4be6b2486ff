/**
 * MongoDB as a replica set of one on a real swarm: an existing database becomes one, clients inside and outside connect,
 * and restarts, rotations, dumps, drills and restores work with it. Version 3.6 has change streams and no transactions
 * of several documents.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { MongoClient } from 'mongodb'
import { kindNamed } from '../../src/kinds/index.ts'
import { ownNameOf } from '../../src/kinds/kind.ts'
import { compareData } from '../fixtures/compare-data.ts'
import type { Database } from '../fixtures/database-clients.ts'
import { restingSchedule } from '../fixtures/resting-schedule.ts'
import { until } from '../engine/until.ts'
import { clients } from './clients.ts'
import { type DatabaseClients, databaseClientsOn, type Fields } from './database-clients.ts'
import { startStorage, type Storage } from './storage.ts'
import { containersOf, docker, onSwarm, type Swarm, uniqueName } from './swarm.ts'

const kind = kindNamed('mongo')
const opened = new AsyncDisposableStack()
let berth: Swarm
let storage: Storage
let mongo: DatabaseClients
let database: Database

before(async () => {
  storage = opened.use(await startStorage())
  storage.makeBucket('backups')
  berth = opened.use(await onSwarm())
  mongo = databaseClientsOn(berth, kind, clients.mongo!)
  database = await mongo.deployed()
  await mongo.open(database, (session) => session.write('without a set'))
})
after(() => opened.disposeAsync())

async function connected<T>(work: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(await mongo.urlOf(database), { serverSelectionTimeoutMS: 5000 })
  try {
    return await work(await client.connect())
  } finally {
    await client.close()
  }
}

const compareTexts = (texts: string[]) =>
  compareData('the texts', async () => assert.deepEqual(await mongo.open(database, (session) => session.read()), texts))

/** Runs MongoDB's shell in a container on the network of the database, with the URL for clients inside. */
async function printInside(program: string): Promise<string> {
  const { internalUrl } = (await mongo.one(database)).connection
  const shell = ['mongo:3.6', 'mongo', internalUrl, '--quiet', '--eval', program]
  return (await docker('run', '--rm', '--network', 'berth', ...shell)).at(-1)!
}

const isPrimary = () =>
  connected((client) => client.db('admin').command({ isMaster: 1 }))
    .then(({ ismaster }) => ismaster === true)
    .catch(() => false)

describe('a replica set of one', { concurrency: 1 }, () => {
  test('an existing database becomes one, with its data, for clients inside and outside', async () => {
    await mongo.call('update', database, { replicaSet: 'rs0' })
    const changed = await mongo.done('deploy', database)
    assert.equal(changed.replicaSet, 'rs0')
    await mongo.open(database, (session) => session.write('with a set'))
    await compareTexts(['without a set', 'with a set'])
    const change = await connected(async (client) => {
      const collection = client.db('shop').collection('event')
      const stream = collection.watch()
      // Opens the cursor: the stream begins here.
      await stream.tryNext()
      await collection.insertOne({ it: 1 })
      const next = await stream.next()
      await stream.close()
      return next
    })
    assert.equal(change.operationType, 'insert')
    assert.equal(await printInside('print(rs.status().set + " " + db.isMaster().me)'), `rs0 ${database.appName}:27017`)
  })

  test('the server finds itself after its container was killed, also under another password', async () => {
    const [container] = await containersOf(database.appName)
    await docker('kill', container!)
    await until('the server to be the primary again', isPrimary, 60_000)
    await compareTexts(['without a set', 'with a set'])
    await mongo.call('update', database, { databasePassword: 'another' })
    await mongo.done('deploy', database)
    assert.equal(await printInside('print(db.isMaster().ismaster)'), 'true')
  })

  test('Berth makes its own account again with the key of the set, and the data is as before', async () => {
    const account = ownNameOf(String(database.mongoId))
    await connected((client) => client.db('admin').command({ dropUser: account }))
    await mongo.done('regainAccount', database, { confirm: database.appName })
    const { users } = await connected((client) => client.db('admin').command({ usersInfo: account }))
    assert.equal(users.length, 1)
    await compareTexts(['without a set', 'with a set'])
  })

  test('the set keeps its name', async () => {
    for (const replicaSet of [null, 'other']) {
      const { status } = await mongo.call('update', database, { replicaSet })
      assert.equal(status, 412)
    }
  })

  test('dumps, drills and restores work with it, and a new service of a dump has a set too', async () => {
    const call = (name: string, input: Fields) =>
      berth.call<Fields & { message: string }>(name, input, undefined, { prefer: 'wait=120' })
    const ok = async (name: string, input: Fields) => {
      const { status, body } = await call(name, input)
      assert.deepEqual([status, body.message], [200, undefined], name)
      if ('status' in body) assert.equal(body.status, 'done', `${name}: ${JSON.stringify(body.reason)}`)
      return body
    }
    const destination = await ok('destination.create', { name: 'storage', ...storage.settings('backups') })
    const { destinationId } = destination
    const about = { mongoId: database.mongoId, databaseType: 'mongo', database: 'shop' }
    const backup = { ...about, destinationId, prefix: 'rs', schedule: restingSchedule }
    const { backupId } = await ok('backup.create', backup)
    const dump = await ok('backup.manualBackupMongo', { backupId })
    await ok('backup.verify', { backupId })
    await mongo.open(database, (session) => session.write('later'))
    await ok('backup.restore', { mongoId: database.mongoId, confirm: database.appName, runId: dump.runId })
    await compareTexts(['without a set', 'with a set'])
    const restored = await ok('backup.restore', { destinationId, key: dump.key, appName: uniqueName('restored') })
    const copy = await mongo.one({ mongoId: restored.databaseId })
    assert.deepEqual([copy.replicaSet, copy.applicationStatus], ['rs0', 'done'])
  })
})
