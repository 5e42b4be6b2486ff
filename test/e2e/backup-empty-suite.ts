/**
 * Tests of one kind that share a database: a drill, a dump of locked tables, and restores into the emptied or dropped
 * database. A database that does not exist needs no safety dump; the run records why there is none.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { MongoClient } from 'mongodb'
import mysql from 'mysql2/promise'
import { createClient } from 'redis'
import type { Kind } from '../../src/kinds/kind.ts'
import { compareData } from '../fixtures/compare-data.ts'
import type { Database } from '../fixtures/database-clients.ts'
import { checkLockedDump, lockingKinds } from './backup-lock-suite.ts'
import { type BackupEnvironment, createBackup, type RunAnswer } from './backup-suite.ts'
import { clients } from './clients.ts'
import { type Fields, databaseClientsOn } from './database-clients.ts'
import { sql } from './swarm.ts'

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
  {
    kind: 'redis',
    state: 'without keys',
    safety: null,
    empty: async (url) => {
      const redis = await createClient({ url }).connect()
      await redis.flushAll()
      await redis.close()
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

/** @param withDrill whether to test a drill, which `backupSuite` tests too */
export function emptySuite(kind: Kind, withDrill: boolean, environment: () => BackupEnvironment): void {
  describe(`emptied databases of ${kind.name}`, { concurrency: 1 }, () => suite(kind, withDrill, environment))
}

function suite(kind: Kind, withDrill: boolean, environment: () => BackupEnvironment): void {
  let databaseClients: ReturnType<typeof databaseClientsOn>
  let database: Database
  let dump: Fields
  const call = (name: string, input: Fields) =>
    environment().berth.call<RunAnswer>(`backup.${name}`, input, undefined, wait)
  before(async () => {
    const { berth } = environment()
    databaseClients = databaseClientsOn(berth, kind, clients[kind.name]!)
    database = await databaseClients.deployed()
    await databaseClients.open(database, (session) => session.write('first'))
    const created = await createBackup(environment(), kind, database, { prefix: 'empty' })
    const { backupId } = created.body
    const { status, body } = await call(kind.manualBackup!, { backupId })
    assert.deepEqual([status, body.message, body.status], [200, undefined, 'done'])
    dump = { backupId, runId: body.runId }
  })
  after(() => database && databaseClients.clear(database))

  if (withDrill) {
    test('a drill verifies a dump', async () => {
      const { status, body } = await call('verify', { backupId: dump.backupId })
      assert.deepEqual([status, body.message], [200, undefined])
      assert.match(body.reason!, /^Restored and equal: 1 tables? with 1 rows/)
    })
  }
  if (lockingKinds.includes(kind.name)) {
    test('a dump reports that it waited for a lock, and does not delay another dump', () =>
      checkLockedDump(environment(), databaseClients, database))
  }
  for (const { state, safety, empty } of cases.filter((one) => one.kind === kind.name)) {
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
