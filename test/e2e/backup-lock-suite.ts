/**
 * Dumps a database of a real MySQL or MariaDB server while another session holds LOCK TABLES ... WRITE. The run fails
 * with the reason, other backups continue, one of them of a database without tables, and no session of the run remains on
 * the server.
 */
import assert from 'node:assert/strict'
import mysql, { type Connection, type RowDataPacket } from 'mysql2/promise'
import { until } from '../engine/until.ts'
import type { Database } from '../fixtures/database-clients.ts'
import { restingSchedule } from '../fixtures/resting-schedule.ts'
import type { BackupEnvironment, RunAnswer } from './backup-suite.ts'
import type { DatabaseClients } from './database-clients.ts'

/** The kinds whose dumps wait for the locks of other sessions. */
export const lockingKinds = ['mysql', 'mariadb']

const wait = { prefer: 'wait=120' }

/** Tests dumps of the database `shop` of this server. Leaves the server as it was. */
export async function checkLockedDump(
  environment: BackupEnvironment,
  databaseClients: DatabaseClients,
  database: Database,
): Promise<void> {
  const { databaseRootPassword } = await databaseClients.one(database)
  const url = new URL(await databaseClients.urlOf(database))
  const root = { username: 'root', password: String(databaseRootPassword) }
  const connection = await mysql.createConnection(Object.assign(url, root).href)
  try {
    await connection.query('create table held (id int primary key)')
    await connection.query('create database free')
    await connection.query('create table free.item (id int primary key)')
    await connection.query('create database vacant')
    await dumpLocked(environment, databaseClients, database, connection)
    await connection.query('drop table held')
    await connection.query('drop database free')
    await connection.query('drop database vacant')
  } finally {
    await connection.end()
  }
}

async function dumpLocked(
  { berth, destinationId }: BackupEnvironment,
  { kind }: DatabaseClients,
  database: Database,
  connection: Connection,
): Promise<void> {
  const create = async (databaseName: string) =>
    (
      await berth.call<{ backupId: string }>('backup.create', {
        schedule: restingSchedule,
        prefix: databaseName,
        destinationId,
        database: databaseName,
        databaseType: kind.name,
        [kind.idField]: database[kind.idField],
      })
    ).body.backupId
  const run = async (backupId: string) => {
    const answer = await berth.call<RunAnswer>(`backup.${kind.manualBackup}`, { backupId }, undefined, wait)
    return { ...answer, endedAt: performance.now() }
  }
  const [lockedId, otherId, emptyId] = [await create('shop'), await create('free'), await create('vacant')]
  await connection.query('lock tables held write')
  const [locked, ...others] = await Promise.all([run(lockedId), run(otherId), run(emptyId)])
  for (const other of others) {
    assert.deepEqual([other.status, other.body.message], [200, undefined])
    assert.ok(other.endedAt < locked.endedAt, 'the other dump did not wait for the lock')
  }
  assert.equal(locked.status, 422)
  assert.match(locked.body.message!, /Lock wait timeout exceeded[\s\S]*Another session may lock a table/)
  const sessions = "select id from information_schema.processlist where db = 'shop' and id <> connection_id()"
  await until(
    'the session of the dump to end',
    async () => (await connection.query<RowDataPacket[]>(sessions))[0].length === 0,
  )
  await connection.query('unlock tables')
  const unlocked = await run(lockedId)
  assert.deepEqual([unlocked.status, unlocked.body.message], [200, undefined])
}
