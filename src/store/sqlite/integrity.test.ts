/** Tests that a damaged store is refused at the start and does not change. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, test, type TestContext } from 'node:test'
import { temporaryFolder } from '../../../test/fixtures/folder.ts'
import { openStore } from './open.ts'

const at = '2026-01-01T00:00:00.000Z'
/** SQLite's own, for a database that says nothing else. */
const pageBytes = 4096

let whole: Buffer

before(async (t) => {
  whole = await filled(t as TestContext)
})

/** The bytes of a store with some pages of everything in a table. */
async function filled(t: TestContext): Promise<Buffer> {
  const folder = temporaryFolder(t)
  const store = await openStore(folder)
  const rows = Array.from({ length: 300 }, (_, n) => ({
    id: `id ${n}`,
    name: `name ${n}`,
    description: 'text '.repeat(n % 50),
    createdAt: at,
  }))
  await store.transact((tx) => tx.insertInto('project').values(rows).execute())
  await store.close()
  return readFileSync(join(folder, 'berth.db'))
}

function folderWith(t: TestContext, bytes: Buffer): string {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'berth.db'), bytes)
  return folder
}

const sentence = /^Error: The store .+berth\.db is damaged \(.+\)\. Nothing was changed in it\. .*state restore FILE/

async function isRefused(t: TestContext, bytes: Buffer, why = sentence) {
  const folder = folderWith(t, bytes)
  await assert.rejects(openStore(folder), why)
  assert.ok(readFileSync(join(folder, 'berth.db')).equals(bytes))
  assert.deepEqual(
    readdirSync(folder).filter((name) => /db\.|new/.test(name)),
    [],
  )
  rmSync(folder, { recursive: true })
}

test('refuses a file that is not a database, or a database of something else', async (t) => {
  await isRefused(t, Buffer.alloc(0), /is damaged \(it is empty\)/)
  await isRefused(t, Buffer.from('not a database'), /is damaged \(file is not a database\)/)
  await isRefused(t, Buffer.alloc(8 * pageBytes))
  const folder = temporaryFolder(t)
  const other = new DatabaseSync(join(folder, 'other.db'))
  other.exec('create table "meta" ("a" text)')
  other.close()
  await isRefused(t, readFileSync(join(folder, 'other.db')), /is damaged \(it is a database of something else\)/)
})

test('refuses a store that is truncated at or within a page', async (t) => {
  for (let length = 1; length < whole.length; length += pageBytes / 2) await isRefused(t, whole.subarray(0, length))
  await isRefused(t, whole.subarray(0, -1))
  await isRefused(t, whole.subarray(0, -pageBytes))
})

test('refuses a store in which the start of any page is overwritten', async (t) => {
  for (let page = 0; page < whole.length; page += pageBytes) {
    const changed = Buffer.from(whole)
    changed.fill(0x5a, page, page + 64)
    await isRefused(t, changed)
  }
})

test('refuses a WAL without its store, and creates no new store', async (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'berth.db-wal'), 'something')
  await assert.rejects(openStore(folder), /is damaged \(it is gone, and its log is there\)/)
  assert.deepEqual(readdirSync(folder).sort(), ['berth.db-wal', 'berth.lock'])
})

test('opens an undamaged store, and creates one after an interrupted creation', async (t) => {
  const folder = folderWith(t, whole)
  writeFileSync(join(folder, 'berth.db.new'), 'half')
  await (await openStore(folder)).close()
  rmSync(join(folder, 'berth.db'))
  const store = await openStore(folder)
  assert.deepEqual(await store.db.selectFrom('project').selectAll().execute(), [])
  await store.close()
  assert.ok(!readdirSync(folder).includes('berth.db.new'))
})

test('refuses a store of a newer Berth, and does not change it', async (t) => {
  const folder = folderWith(t, whole)
  const file = new DatabaseSync(join(folder, 'berth.db'))
  file.prepare('insert into "kysely_migration" values (?, ?)').run('9999-of-the-future', at)
  file.exec('create table "ofTheFuture" ("id" text)')
  file.close()
  const bytes = readFileSync(join(folder, 'berth.db'))
  await assert.rejects(
    openStore(folder),
    /written by a newer Berth \(its version is 9999-of-the-future\).+Start that Berth again, or .+state restore FILE/,
  )
  assert.ok(readFileSync(join(folder, 'berth.db')).equals(bytes))
})
