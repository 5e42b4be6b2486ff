/**
 * A restore into a PostgreSQL server while clients connect all the time, and while its program or the server is killed: the
 * database is the old or the new one, the server says which, and the database accepts connections.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { kindNamed } from '../../src/kinds/index.ts'
import { until } from '../engine/until.ts'
import { compareData } from '../fixtures/compare-data.ts'
import { beginJob, containersOf, job, type Server } from './container.ts'
import { docker } from './swarm.ts'

const image = 'postgres:15'
const kind = kindNamed('postgres')
const backup = kind.backup!
const settings = { databaseName: 'shop', databaseUser: 'ada', databasePassword: 'secret' }
const login = { settings, own: null }
const loader = `berth-restore-${process.pid}`
const { startServer, serverOf, removeAll } = containersOf(kind, 'postgres')

let server: Server
let archive: Buffer
before(async () => {
  server = await startServer('15', settings, '--')
  await query(
    'create table item (id int primary key, name text)',
    "insert into item select id, 'dumped' from generate_series(1, 20000) as id",
  )
  const dumped = await job(image, backup.dump(login, place(), '15'))
  assert.equal(dumped.exitCode, 0, dumped.stderr)
  archive = dumped.stdout
  await query("update item set name = 'present'")
})
after(removeAll)

const place = () => ({ ...server.address, database: 'shop' })

const query = (...statements: string[]) => queryIn('shop', ...statements)

async function queryIn(databaseName: string, ...statements: string[]): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: kind.url({ ...settings, databaseName }, server.address) })
  client.on('error', () => undefined)
  await client.connect()
  try {
    let result: pg.QueryResult
    for (const statement of statements) result = await client.query(statement)
    return result!
  } finally {
    await client.end()
  }
}

async function ask(part: 'identify' | 'end' | 'clear'): Promise<string> {
  const { exitCode, stdout, stderr } = await job(image, backup.atomicRestore![part](login, place(), 'run'))
  assert.equal(exitCode, 0, stderr)
  return stdout.toString()
}

const begin = () => beginJob(loader, image, backup.restore(login, place(), '15'), archive)

/** Asserts that the server says the truth about its data, and has no other databases. Returns whether it is the new one. */
async function checkOutcome(identity: string): Promise<boolean> {
  await ask('end')
  const isReplaced = (await ask('identify')) !== identity
  await ask('clear')
  await compareData('the database after a restore', async () => {
    const { rows } = await query('select name, count(*)::int as count from item group by name')
    assert.deepEqual(rows, [{ name: isReplaced ? 'dumped' : 'present', count: 20_000 }])
  })
  const { rows } = await query("select datname from pg_database where datname like 'berth%' or not datallowconn")
  assert.deepEqual(rows, [{ datname: 'template0' }])
  await query("update item set name = 'present'")
  return isReplaced
}

test('replaces a database to which clients connect all the time', async () => {
  const identity = await ask('identify')
  let isOver = false
  const connectAgain = async () => {
    while (!isOver) await query('select count(*) from item').catch(() => pause(1))
  }
  const clients = Array.from({ length: 8 }, connectAgain)
  const exitCode = await begin().ended
  isOver = true
  await Promise.all(clients)
  assert.equal(exitCode, 0)
  assert.ok(await checkOutcome(identity))
})

test('the database is the old or the new one if the program of the restore is killed', async () => {
  const identity = await ask('identify')
  const { ended } = begin()
  const isClosed = async () => {
    const { rows } = await queryIn('template1', "select from pg_database where datname = 'shop' and not datallowconn")
    return rows.length > 0
  }
  let hasEnded = false
  void ended.then(() => {
    hasEnded = true
  })
  // The replacement is so short that it may end before it is seen.
  while (!hasEnded && !(await isClosed())) await pause(1)
  await docker('kill', loader).catch(() => [])
  await ended
  await checkOutcome(identity)
})

test('a database that a killed program has left closed accepts connections again', async () => {
  const identity = await ask('identify')
  await queryIn('template1', 'alter database shop with allow_connections false')
  await assert.rejects(query('select 1'))
  assert.equal(await checkOutcome(identity), false)
})

test('the database is the old or the new one if the server is killed', async () => {
  const identity = await ask('identify')
  const { ended } = begin()
  await until('the scratch database', async () => {
    const { rows } = await query("select from pg_database where datname like 'berth%'")
    return rows.length > 0
  })
  await docker('kill', server.id)
  await ended
  await docker('start', server.id)
  server = await serverOf(server.id)
  await until('the server to answer', () =>
    query('select 1').then(
      () => true,
      () => null,
    ),
  )
  await checkOutcome(identity)
})
