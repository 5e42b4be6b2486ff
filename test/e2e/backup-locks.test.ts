/**
 * A table that another session holds (LOCK TABLES ... WRITE) while its database is dumped, on real servers of MySQL and
 * MariaDB: the run ends soon and says why, other backups go on meanwhile, and no session of it stays in the server.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import mysql, { type RowDataPacket } from 'mysql2/promise'
import { kindNamed } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import type { RunAnswer } from './backup-suite.ts'
import { clients } from './clients.ts'
import { databaseClientsOn } from './database-clients.ts'
import { startStorage } from './storage.ts'
import { onSwarm, type Swarm } from './swarm.ts'

const wait = { prefer: 'wait=120' }
const opened = new AsyncDisposableStack()
let berth: Swarm
let destinationId: string
before(async () => {
  const storage = opened.use(await startStorage())
  // The lock is waited for half as long.
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
    for (const image of clients[name]!.images.slice(0, 2)) {
      test(`${image}: the dump says that it waited for a lock, and another goes on meanwhile`, async () => {
        const databaseClients = databaseClientsOn(berth, kind, clients[name]!)
        const database = await databaseClients.deployed({ dockerImage: image })
        const { databaseRootPassword } = await databaseClients.one(database)
        const url = Object.assign(new URL(await databaseClients.urlOf(database)), {
          username: 'root',
          password: databaseRootPassword as string,
        }).href
        const holder = await mysql.createConnection(url)
        await holder.query('create table held (id int primary key)')
        await holder.query('create database other')
        await holder.query('create table other.free (id int primary key)')
        const create = async (asked: string) =>
          (
            await berth.call<{ backupId: string }>('backup.create', {
              schedule: '0 3 * * *',
              prefix: asked,
              destinationId,
              database: asked,
              databaseType: name,
              [kind.idField]: database[kind.idField],
            })
          ).body.backupId
        const run = async (backupId: string) => {
          const answer = await berth.call<RunAnswer>(`backup.${kind.manualBackup}`, { backupId }, undefined, wait)
          return { ...answer, endedAt: performance.now() }
        }
        const [heldId, otherId] = [await create('shop'), await create('other')]
        await holder.query('lock tables held write')
        const began = performance.now()
        const [held, other] = await Promise.all([run(heldId), run(otherId)])
        assert.deepEqual([other.status, other.body.message], [200, undefined])
        assert.ok(other.endedAt < held.endedAt, 'it did not wait for the lock')
        assert.equal(held.status, 422)
        assert.match(held.body.message!, /Lock wait timeout exceeded[\s\S]*Another session may hold a lock/)
        assert.ok(held.endedAt - began < 30_000, `${held.endedAt - began} ms`)
        const own = "select id from information_schema.processlist where db = 'shop' and id <> connection_id()"
        await until('its session to end', async () => (await holder.query<RowDataPacket[]>(own))[0].length === 0)
        await holder.query('unlock tables')
        const again = await run(heldId)
        assert.deepEqual([again.status, again.body.message], [200, undefined])
        await holder.end()
        await databaseClients.clear(database)
      })
    }
  }
})
