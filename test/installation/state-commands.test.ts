/** The commands that back up Berth's own state while it changes, and restore it into another folder with its key. */
import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test, type TestContext } from 'node:test'
import { checkChain } from '../../src/api/audit-log.ts'
import { memoize } from '../../src/lib/async/memoize.ts'
import type { PlacementStep } from '../../src/installation/state/replace.ts'
import { compareData } from '../fixtures/compare-data.ts'
import { folderUnder, temporaryFolder } from '../fixtures/folder.ts'
import { startBerth } from '../fixtures/harness.ts'
import { checkAll, configOf, fill, openFilled } from './filled-store.ts'
import { killedAt } from './killed-restore.ts'
import { run, type CommandResult } from './run-command.ts'

const [hexA, hexB] = ['ab'.repeat(32), 'cd'.repeat(32)]
const withKey = (folder: string, key: string) => ({ folder, env: { BERTH_MASTER_KEY: key } })

const end = new AsyncDisposableStack()
after(() => end.disposeAsync())

/** A folder with a filled store, whose key is a setting, and a backup of the store. The tests use copies. */
const original = memoize(async () => {
  const parent = folderUnder(end)
  const { folder, env } = withKey(join(parent, 'data'), hexA)
  mkdirSync(folder)
  await fill(configOf(folder, env))
  succeeded(await run(folder, ['state', 'backup', join(parent, 'state')], env))
  return parent
})

async function backedUp(t: TestContext) {
  const parent = temporaryFolder(t)
  cpSync(await original(), parent, { recursive: true })
  const path = join(parent, 'state')
  return { ...withKey(join(parent, 'data'), hexA), path, bytes: readFileSync(path) }
}

function succeeded(result: CommandResult) {
  assert.deepEqual([result.status, result.err], [0, ''])
  return result
}

function refused(result: CommandResult, messagePattern: RegExp) {
  assert.deepEqual([result.status, result.out], [1, ''])
  assert.match(result.err, messagePattern)
  assert.doesNotMatch(result.err, /\n +at /, 'no stack')
}

async function entriesIn(folder: string, env: Record<string, string>) {
  const { store, vault } = await openFilled(configOf(folder, env))
  const entries = await store.db.selectFrom('audit').select(['kind', 'operation']).orderBy('seq').execute()
  assert.equal((await checkChain(store.db, vault)).brokenAt, null)
  await store.close()
  return entries.filter(({ kind }) => kind === 'machine').map(({ operation }) => operation)
}

const names = (folder: string) => readdirSync(folder).sort()

test('restores the complete state into another folder with its key', async (t) => {
  const { folder, env, path } = await backedUp(t)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  const other = join(temporaryFolder(t), 'created', 'by the restore')
  const result = succeeded(await run(other, ['state', 'restore', path], env))
  assert.match(
    result.out,
    /The state of 20\d\d-.+ was restored into .+created\/by the restore \(installation .+\)\.\n +If it ran .+\n\n +Start/,
  )
  assert.deepEqual(names(other), ['berth.db', 'berth.lock'])
  assert.equal(statSync(join(other, 'berth.db')).mode & 0o777, 0o600)
  await checkAll(configOf(other, env), true)
  assert.deepEqual(await entriesIn(folder, env), ['machine.backUpState'])
  assert.deepEqual(
    await entriesIn(other, env),
    ['machine.restoreState'],
    'the entry of the backup is newer than the copy',
  )
  const ids = await Promise.all(
    [folder, other].map(async (dataFolder) => {
      const { store, installationId } = await openFilled(configOf(dataFolder, env))
      await store.close()
      return installationId
    }),
  )
  assert.equal(ids[0], ids[1])
})

test('backs up and restores through pipes, with the key in its file', async (t) => {
  const [from, to] = [temporaryFolder(t), temporaryFolder(t)]
  await fill(configOf(from))
  const { status, bytes, err } = await run(from, ['state', 'backup', '-'])
  assert.equal(status, 0, err)
  assert.match(err, /was written to standard output/)
  writeFileSync(join(to, 'master.key'), readFileSync(join(from, 'master.key')))
  const { status: restored, out } = await run(to, ['state', 'restore', '-'], {}, bytes)
  assert.deepEqual([restored, out], [0, ''])
  await checkAll(configOf(to), true)
})

test('copies the state of one point in time while Berth writes and answers every call with 200', async (t) => {
  await using berth = await startBerth()
  const target = temporaryFolder(t)
  let isOver = false
  // One call changes both texts, so they differ in a copy of two points in time.
  const { body: project } = await berth.call('project.create', { name: '0', description: '0' })
  const writing = (async () => {
    let calls = 0
    for (; !isOver; calls++) {
      const change = { ...project, name: `${calls}`, description: `${calls}` }
      assert.equal((await berth.call('project.update', change)).status, 200)
    }
    return calls
  })()
  const key = readFileSync(join(berth.folder, 'master.key'))
  for (let n = 0; n < 3; n++) {
    succeeded(await run(berth.folder, ['state', 'backup', join(target, `${n}`)]))
    const folder = temporaryFolder(t)
    writeFileSync(join(folder, 'master.key'), key)
    succeeded(await run(folder, ['state', 'restore', join(target, `${n}`)]))
    const file = new DatabaseSync(join(folder, 'berth.db'))
    const [row] = file.prepare('select "name", "description" from "project"').all()
    const last = file.prepare('select max("seq") as "last", count(*) as "count" from "audit"').get()!
    await compareData('the copied state', () => {
      assert.equal(row!.name, row!.description)
      assert.equal(last.last, last.count)
    })
    file.close()
  }
  isOver = true
  assert.ok((await writing) > 5)
  assert.ok(!names(berth.folder).includes('berth.copy'))
})

test('a restore refuses an existing state, a running Berth and a wrong key', async (t) => {
  const { folder, env, path } = await backedUp(t)
  const before = readFileSync(join(folder, 'berth.db'))
  refused(await run(folder, ['state', 'restore', path], env), /The folder .+ already has a store\. Use --replace/)
  assert.ok(readFileSync(join(folder, 'berth.db')).equals(before))
  const { store } = await openFilled(configOf(folder, env))
  refused(await run(folder, ['state', 'restore', path, '--replace'], env), /Berth is running on .+\. Stop Berth/)
  await store.close()
  const empty = temporaryFolder(t)
  refused(
    await run(empty, ['state', 'restore', path]),
    /There is no master key in .+ or in the setting BERTH_MASTER_KEY\. Put the key of the backup there/,
  )
  refused(
    await run(empty, ['state', 'restore', path], { BERTH_MASTER_KEY: hexB }),
    /needs the master key [0-9a-f]{8}, but the master key here is [0-9a-f]{8}\./,
  )
  refused(await run(empty, ['state', 'restore', join(empty, 'none')], env), /There is no file .+none/)
  refused(await run(empty, ['state', 'restore', join(folder, 'berth.db')], env), /is not a backup of Berth's state/)
  assert.ok(!existsSync(join(empty, 'berth.db')))
  await checkAll(configOf(folder, env))
})

test('refuses a truncated or changed backup, and changes nothing in the folder', async (t) => {
  const { env, bytes } = await backedUp(t)
  const folder = temporaryFolder(t)
  const path = join(temporaryFolder(t), 'file')
  const changed = Buffer.from(bytes)
  changed[Math.floor(bytes.length / 2)]! ^= 1
  const files = [0, 0.001, 0.3, 0.9].map((part) => bytes.subarray(0, Math.floor(bytes.length * part)))
  for (const file of [...files, bytes.subarray(0, -1), changed, Buffer.concat([bytes, bytes])]) {
    writeFileSync(path, file)
    refused(
      await run(folder, ['state', 'restore', path], env),
      /is damaged or incomplete|is not a backup of Berth's state/,
    )
    assert.deepEqual(
      names(folder).filter((name) => name !== 'berth.lock'),
      [],
    )
  }
  writeFileSync(path, bytes)
  succeeded(await run(folder, ['state', 'restore', path], env))
  await checkAll(configOf(folder, env), true)
})

test('a backup overwrites no file, leaves no file after a failure, and requires a store', async (t) => {
  const { folder, env, path, bytes } = await backedUp(t)
  refused(await run(folder, ['state', 'backup', path], env), /The file .+ already exists/)
  assert.ok(readFileSync(path).equals(bytes))
  refused(await run(folder, ['state', 'backup', join(path, 'in a file')], env), /ENOTDIR/)
  refused(await run(temporaryFolder(t), ['state', 'backup', join(folder, 'x')], env), /There is no store of Berth in/)
  refused(
    await run(folder, ['state', 'backup', join(folder, 'x')], { BERTH_MASTER_KEY: hexB }),
    /This master key does not open this store/,
  )
  assert.deepEqual(names(folder), ['access-token', 'berth.copy.lock', 'berth.db', 'berth.lock'])
})

test('--replace keeps the old store, including the contents of its write-ahead log', async (t) => {
  const { folder, env, path } = await backedUp(t)
  const { store } = await openFilled(configOf(folder, env))
  await store.transact((tx) => tx.updateTable('project').set({ name: 'renamed' }).execute())
  // A killed Berth leaves the store with a write-ahead log.
  const [db, log] = ['berth.db', 'berth.db-wal'].map((name) => readFileSync(join(folder, name)))
  await store.close()
  writeFileSync(join(folder, 'berth.db'), db!)
  writeFileSync(join(folder, 'berth.db-wal'), log!)
  const result = succeeded(await run(folder, ['state', 'restore', path, '--replace'], env))
  const kept = /The old store is kept in (.+)\.\n/.exec(result.out)![1]!
  const file = new DatabaseSync(kept)
  await compareData('the old store', () =>
    assert.equal(file.prepare('select "name" from "project"').get()!.name, 'renamed'),
  )
  file.close()
  assert.deepEqual(names(folder).filter((name) => /db/.test(name)).length, 2)
  await checkAll(configOf(folder, env), true)
  assert.equal((await entriesIn(folder, env)).at(-1), 'machine.restoreState')
})

test('--replace replaces a damaged store, and keeps it with its write-ahead log', async (t) => {
  const { folder, env, path } = await backedUp(t)
  const [db, log] = [Buffer.alloc(10_000, 'x'), Buffer.alloc(5000, 'y')]
  writeFileSync(join(folder, 'berth.db'), db)
  writeFileSync(join(folder, 'berth.db-wal'), log)
  await assert.rejects(openFilled(configOf(folder, env)), /is damaged .+ berth state restore FILE --replace/)
  const result = succeeded(await run(folder, ['state', 'restore', path, '--replace'], env))
  const kept = /The old store is kept in (.+)\.\n/.exec(result.out)![1]!
  await compareData('the kept files', () =>
    assert.ok(readFileSync(kept).equals(db) && readFileSync(`${kept}-wal`).equals(log)),
  )
  await checkAll(configOf(folder, env), true)
})

const steps: PlacementStep[] = ['written', 'ready', 'kept', 'decided', 'cleared', 'placed']

for (const step of steps) {
  test(`a restore killed after the step '${step}' leaves the complete old or new state`, async (t) => {
    const { folder, env, path } = await backedUp(t)
    const { store } = await openFilled(configOf(folder, env))
    await store.transact((tx) => tx.updateTable('project').set({ name: 'renamed' }).execute())
    await store.close()
    await killedAt(step, folder, env, path)
    const isNew = steps.indexOf(step) >= steps.indexOf('decided')
    await checkAll(configOf(folder, env), isNew)
    const { store: after } = await openFilled(configOf(folder, env))
    const [project] = await after.db.selectFrom('project').select('name').execute()
    await after.close()
    await compareData('the project after the kill', () => assert.equal(project!.name, isNew ? 'shop' : 'renamed'))
    const kept = names(folder).filter((name) => name.includes('replaced'))
    assert.equal(kept.length, isNew || step === 'kept' ? 1 : 0)
    assert.ok(!existsSync(join(folder, 'restoring')))
    succeeded(await run(folder, ['state', 'restore', path, '--replace'], env))
    await checkAll(configOf(folder, env), true)
  })
}

test('the next start deletes the remains of a killed copy', async (t) => {
  const { folder, env } = withKey(temporaryFolder(t), hexA)
  await fill(configOf(folder, env))
  mkdirSync(join(folder, 'restoring'))
  const left = ['berth.copy', 'berth.copy-journal', 'restoring/berth.db']
  for (const name of left) writeFileSync(join(folder, name), 'incomplete')
  await checkAll(configOf(folder, env))
  assert.deepEqual(
    names(folder).filter((name) => /^(berth\.copy(-|$)|restoring)/.test(name)),
    [],
  )
})

test('simultaneous backups are complete or refused', async (t) => {
  const { folder, env } = withKey(temporaryFolder(t), hexA)
  await fill(configOf(folder, env), 400)
  const target = temporaryFolder(t)
  const backUp = (name: string) => run(folder, ['state', 'backup', join(target, name)], env)
  const all = await Promise.all(['a', 'b', 'c'].map(backUp))
  for (const result of all) if (result.status !== 0) refused(result, /Another backup of the state is under way/)
  assert.ok(all.some(({ status }) => status === 0))
  for (const name of readdirSync(target)) {
    const other = temporaryFolder(t)
    succeeded(await run(other, ['state', 'restore', join(target, name)], env))
    await checkAll(configOf(other, env), true)
  }
})
