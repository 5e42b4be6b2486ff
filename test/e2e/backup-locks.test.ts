/**
 * Dumps a database of a real MySQL or MariaDB server while another session holds LOCK TABLES ... WRITE. The run soon
 * fails with the reason, other backups continue, and no session of the run remains on the server. With one version of
 * each, or with two if BERTH_TEST_ALL is set.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import mysql, { type RowDataPacket } from 'mysql2/promise'
import { kindNamed } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import type { RunAnswer } from './backup-suite.ts'
import { clients } from './clients.ts'
import { databaseClientsOn } from './database-clients.ts'
import { representative } from './representative.ts'
import { startStorage } from './storage.ts'
import { onSwarm, type Swarm } from './swarm.ts'

const wait = { prefer: 'wait=120' }
const opened = new AsyncDisposableStack()
let berth: Swarm
let destinationId: string
before(async () => {
  const storage = opened.use(await startStorage())
  // The dump waits for a lock for half of BERTH_BACKUP_IDLE_SECONDS.
  berth = opened.use(await onSwarm({ env: { BERTH_BACKUP_IDLE_SECONDS: '16', BERTH_BACKUP_CONCURRENCY: '2' } }))
  storage.makeBucket('backups')
  destinationId = (
    await berth.call<{ destinationId: string }>('destination.create', {
      name: 'storage',
      ...storage.settings('backups'),
    })
  ).body.destinationId
})
after(() => opened.disposeAsync())

describe('locked tables', { concurrency: 1 }, () => {
  for (const name of ['mysql', 'mariadb']) {
    const kind = kindNamed(name)
    for (const image of representative(clients[name]!.images.slice(0, 2))) {
      test(`${image}: a dump reports that it waited for a lock, and does not delay another dump`, async () => {
        const databaseClients = databaseClientsOn(berth, kind, clients[name]!)
        const database = await databaseClients.deployed({ dockerImage: image })
        const { databaseRootPassword } = await databaseClients.one(database)
        const url = Object.assign(new URL(await databaseClients.urlOf(database)), {
          username: 'root',
          password: databaseRootPassword as string,
        }).href
        const connection = await mysql.createConnection(url)
        await connection.query('create table held (id int primary key)')
        await connection.query('create database other')
        await connection.query('create table other.free (id int primary key)')
        const create = async (databaseName: string) =>
          (
            await berth.call<{ backupId: string }>('backup.create', {
              schedule: '0 3 * * *',
              prefix: databaseName,
              destinationId,
              database: databaseName,
              databaseType: name,
              [kind.idField]: database[kind.idField],
            })
          ).body.backupId
        const run = async (backupId: string) => {
          const answer = await berth.call<RunAnswer>(`backup.${kind.manualBackup}`, { backupId }, undefined, wait)
          return { ...answer, endedAt: performance.now() }
        }
        const [lockedId, otherId] = [await create('shop'), await create('other')]
        await connection.query('lock tables held write')
        const began = performance.now()
        const [locked, other] = await Promise.all([run(lockedId), run(otherId)])
        assert.deepEqual([other.status, other.body.message], [200, undefined])
        assert.ok(other.endedAt < locked.endedAt, 'the other dump did not wait for the lock')
        assert.equal(locked.status, 422)
        assert.match(locked.body.message!, /Lock wait timeout exceeded[\s\S]*Another session may lock a table/)
        assert.ok(locked.endedAt - began < 30_000, `${locked.endedAt - began} ms`)
        const sessions = "select id from information_schema.processlist where db = 'shop' and id <> connection_id()"
        await until(
          'the session of the dump to end',
          async () => (await connection.query<RowDataPacket[]>(sessions))[0].length === 0,
        )
        await connection.query('unlock tables')
        const unlocked = await run(lockedId)
        assert.deepEqual([unlocked.status, unlocked.body.message], [200, undefined])
        await connection.end()
        await databaseClients.clear(database)
      })
    }
  }
})
