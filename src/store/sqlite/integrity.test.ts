/** The check of the store at the start: a damaged store, or a store of a newer Berth, is refused and not changed. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { before, test, type TestContext } from 'node:test'
import { temporaryFolder } from '../../../test/fixtures/folder.ts'
import { toJson } from '../../lib/json.ts'
import { openStore } from './open.ts'

const at = '2026-01-01T00:00:00.000Z'
/** SQLite's default page size. */
const pageBytes = 4096

let undamaged: Buffer

before(async (t) => {
  undamaged = await filledStore(t as TestContext)
})

/** Returns the bytes of a store with some pages of rows. */
async function filledStore(t: TestContext): Promise<Buffer> {
  const folder = temporaryFolder(t)
  const store = await openStore(folder)
  const rows = Array.from({ length: 300 }, (_, n) => ({
    id: `id ${n}`,
    name: `name ${n}`,
    description: 'text '.repeat(n % 50),
    allowedSources: toJson([]),
    createdAt: at,
  }))
  await store.transact((tx) => tx.insertInto('project').values(rows).execute())
  await store.close()
  // Damage of a page without content does no harm, so there must be none.
  const file = new DatabaseSync(join(folder, 'berth.db'))
  file.prepare('vacuum into ?').run(join(folder, 'compact.db'))
  file.close()
  const compact = new DatabaseSync(join(folder, 'compact.db'))
  compact.exec('pragma journal_mode = wal')
  compact.close()
  return readFileSync(join(folder, 'compact.db'))
}

function folderWith(t: TestContext, bytes: Buffer): string {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'berth.db'), bytes)
  return folder
}

const damagedPattern = /^Error: The store .+berth\.db is damaged \(.+\)\. Nothing was changed in it\. .*restore FILE/

async function isRefused(t: TestContext, bytes: Buffer, messagePattern = damagedPattern) {
  const folder = folderWith(t, bytes)
  await assert.rejects(openStore(folder), messagePattern)
  assert.ok(readFileSync(join(folder, 'berth.db')).equals(bytes))
  assert.deepEqual(
    readdirSync(folder).filter((name) => /db\.|new/.test(name)),
    [],
  )
  rmSync(folder, { recursive: true })
}

test('refuses a file that is not a database, and a database that is not a store of Berth', async (t) => {
  await isRefused(t, Buffer.alloc(0), /is damaged \(the file is empty\)/)
  await isRefused(t, Buffer.from('not a database'), /is damaged \(file is not a database\)/)
  await isRefused(t, Buffer.alloc(8 * pageBytes))
  const folder = temporaryFolder(t)
  const other = new DatabaseSync(join(folder, 'other.db'))
  other.exec('create table "meta" ("a" text)')
  other.close()
  await isRefused(t, readFileSync(join(folder, 'other.db')), /is damaged \(the file is not a store of Berth\)/)
})

test('refuses a store that is truncated at or within a page', async (t) => {
  for (let length = 1; length < undamaged.length; length += pageBytes / 2)
    await isRefused(t, undamaged.subarray(0, length))
  await isRefused(t, undamaged.subarray(0, -1))
  await isRefused(t, undamaged.subarray(0, -pageBytes))
})

test('refuses a store in which the start of any page is overwritten', async (t) => {
  for (let page = 0; page < undamaged.length; page += pageBytes) {
    const changed = Buffer.from(undamaged)
    changed.fill(0x5a, page, page + 64)
    await isRefused(t, changed)
  }
})

test('refuses a write-ahead log without its store, and creates no new store', async (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'berth.db-wal'), 'something')
  await assert.rejects(openStore(folder), /is damaged \(the file is missing, but its write-ahead log exists\)/)
  assert.deepEqual(readdirSync(folder).sort(), ['berth.db-wal', 'berth.lock'])
})

test('opens an undamaged store, and creates a store after an interrupted creation', async (t) => {
  const folder = folderWith(t, undamaged)
  writeFileSync(join(folder, 'berth.db.new'), 'incomplete')
  await (await openStore(folder)).close()
  rmSync(join(folder, 'berth.db'))
  const store = await openStore(folder)
  assert.deepEqual(await store.db.selectFrom('project').selectAll().execute(), [])
  await store.close()
  assert.ok(!readdirSync(folder).includes('berth.db.new'))
})

test('refuses a store of a newer Berth, and does not change it', async (t) => {
  const folder = folderWith(t, undamaged)
  const file = new DatabaseSync(join(folder, 'berth.db'))
  file.prepare('insert into "kysely_migration" values (?, ?)').run('9999-of-the-future', at)
  file.exec('create table "ofTheFuture" ("id" text)')
  file.close()
  const bytes = readFileSync(join(folder, 'berth.db'))
  await assert.rejects(
    openStore(folder),
    /written by a newer Berth \(store version 9999-of-the-future\).+Start that version .+, or .+state restore FILE/,
  )
  assert.ok(readFileSync(join(folder, 'berth.db')).equals(bytes))
})
