/**
 * Restores into emptied or dropped databases of every kind that supports backups. A database that does not exist needs
 * no safety dump; the run records why there is none.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { MongoClient } from 'mongodb'
import mysql from 'mysql2/promise'
import { kindNamed } from '../../src/kinds/index.ts'
import { compareData } from '../fixtures/compare-data.ts'
import type { Database } from '../fixtures/database-clients.ts'
import { restingSchedule } from '../fixtures/resting-schedule.ts'
import type { BackupEnvironment, RunAnswer } from './backup-suite.ts'
import { clients } from './clients.ts'
import { type Fields, databaseClientsOn } from './database-clients.ts'
import { startStorage } from './storage.ts'
import { onSwarm, sql } from './swarm.ts'

const wait = { prefer: 'wait=300' }

interface Case {
  kind: string
  /** The state of the database before the restore. */
  state: string
  /** The reason why there is no safety dump, or null if there is one. */
  safety: string | null
  empty(url: string, database: Database): Promise<void>
}

/** Runs a statement as root, without selecting a database because the statement may drop it. */
async function asRoot(url: string, { databaseRootPassword }: Database, statement: string): Promise<void> {
  const uri = Object.assign(new URL(url), { username: 'root', password: String(databaseRootPassword), pathname: '/' })
  const client = await mysql.createConnection({ uri: uri.href })
  await client.query(statement).finally(() => client.end())
}

async function withMongo(url: string, work: (client: MongoClient) => Promise<unknown>): Promise<void> {
  const client = await MongoClient.connect(url)
  await work(client).finally(() => client.close())
}

const maintenanceUrl = (url: string) => Object.assign(new URL(url), { pathname: '/postgres' }).href

const cases: Case[] = [
  {
    kind: 'mongo',
    state: 'whose collections were dropped',
    safety: 'TargetEmpty',
    empty: (url) => withMongo(url, (client) => client.db('shop').collection('note').drop()),
  },
  {
    kind: 'mongo',
    state: 'of which only an account remains',
    safety: null,
    empty: (url) =>
      withMongo(url, async (client) => {
        await client.db('shop').command({ createUser: 'left', pwd: 'a password', roles: [] })
        await client.db('shop').dropDatabase()
      }),
  },
  {
    kind: 'postgres',
    state: 'that was dropped',
    safety: 'TargetEmpty',
    empty: async (url) => {
      await sql(maintenanceUrl(url), 'drop database shop with (force)')
    },
  },
  {
    kind: 'postgres',
    state: 'whose tables were dropped',
    safety: null,
    empty: async (url) => {
      await sql(url, 'drop table note')
    },
  },
  ...['mysql', 'mariadb'].flatMap((kind): Case[] => [
    {
      kind,
      state: 'that was dropped',
      safety: 'TargetEmpty',
      empty: (url, database) => asRoot(url, database, 'drop database shop'),
    },
    {
      kind,
      state: 'whose tables were dropped',
      safety: null,
      empty: (url, database) => asRoot(url, database, 'drop table shop.note'),
    },
  ]),
]

const opened = new AsyncDisposableStack()
let runtime: BackupEnvironment
before(async () => {
  const storage = opened.use(await startStorage())
  const berth = opened.use(await onSwarm())
  storage.makeBucket('backups')
  const { body } = await berth.call<{ destinationId: string }>('destination.create', {
    name: 'storage',
    ...storage.settings('backups'),
  })
  runtime = { berth, storage, destinationId: body.destinationId }
})
after(() => opened.disposeAsync())

describe('restores into empty databases', { concurrency: 2 }, () => {
  for (const [kind, kindCases] of Map.groupBy(cases, (one) => one.kind)) {
    describe(kind, { concurrency: 1 }, () => suite(kindCases!))
  }
})

/** Registers the tests of one kind. They share a database. */
function suite(kindCases: Case[]): void {
  const kind = kindNamed(kindCases[0]!.kind)
  let databaseClients: ReturnType<typeof databaseClientsOn>
  let database: Database
  let dump: Fields
  const call = (name: string, input: Fields) => runtime.berth.call<RunAnswer>(`backup.${name}`, input, undefined, wait)
  before(async () => {
    databaseClients = databaseClientsOn(runtime.berth, kind, clients[kind.name]!)
    database = await databaseClients.deployed()
    await databaseClients.open(database, (session) => session.write('first'))
    const {
      body: { backupId },
    } = await runtime.berth.call<{ backupId: string }>('backup.create', {
      schedule: restingSchedule,
      prefix: 'empty',
      destinationId: runtime.destinationId,
      database: 'shop',
      databaseType: kind.name,
      [kind.idField]: database[kind.idField],
    })
    const { status, body } = await call(kind.manualBackup!, { backupId })
    assert.deepEqual([status, body.message], [200, undefined])
    dump = { backupId, runId: body.runId }
  })
  after(() => database && databaseClients.clear(database))

  for (const { state, safety, empty } of kindCases) {
    test(`restores the dump into a database ${state}`, async () => {
      await empty(await databaseClients.urlOf(database), await databaseClients.one(database))
      const { status, body } = await call('restore', {
        ...dump,
        [kind.idField]: database[kind.idField],
        confirm: database.appName,
      })
      assert.deepEqual([status, body.message, body.status], [200, undefined, 'done'])
      assert.equal(body.safety, safety)
      assert.equal(body.safetyRunId === null, safety !== null)
      await compareData('the restored texts', async () =>
        assert.deepEqual(await databaseClients.open(database, (session) => session.read()), ['first']),
      )
    })
  }
}
