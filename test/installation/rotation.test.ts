/** Replacement of the master key, also after an interruption at each step. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Kysely } from 'kysely'
import { idGenerator } from '../../src/lib/crypto/id.ts'
import { readMasterKeys } from '../../src/installation/keys.ts'
import { openStore } from '../../src/store/sqlite/open.ts'
import { rotateKey, type Step } from '../../src/installation/rotation.ts'
import type { Reader, Schema } from '../../src/store/schema.ts'
import { columnsWithPrefix, sealedColumns } from '../../src/store/sealed.ts'
import { sealerOf } from '../../src/store/vault.ts'
import { bareEnv } from '../fixtures/bare-env.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import { checkAll, configOf, fill, isInFiles, openFilled } from './filled-store.ts'

const now = () => new Date('2030-01-02T00:00:00.000Z')
const options = { now, newId: idGenerator(), reached: () => undefined }
const prefixIn = (folder: string) => sealerOf(readMasterKeys(configOf(folder)).masterKey).prefix
const kysely = (db: Reader) => db as Reader as Kysely<Schema>
const [hexA, hexB] = ['ab'.repeat(32), 'cd'.repeat(32)]

async function sealedColumnsIn(folder: string, prefix: string, env: Record<string, string> = {}) {
  const { store } = await openFilled(configOf(folder, env))
  const columns = await columnsWithPrefix(kysely(store.db), prefix)
  await store.close()
  return columns.sort()
}

test('reseals everything with the new key, and leaves no value of the old key in any file', async (t) => {
  const folder = temporaryFolder(t)
  const config = configOf(folder)
  await fill(config)
  const before = prefixIn(folder)
  const allColumns = [...new Set(sealedColumns.map(({ table, column }) => `${table}.${column}`))].sort()
  assert.deepEqual(await sealedColumnsIn(folder, before), allColumns, 'the store has a value in every sealed column')
  assert.ok(isInFiles(folder, before))
  const { resealed } = await rotateKey(config, options)
  assert.equal(
    resealed,
    2 + 1 + 1 + 3 * 8 + 8,
    'meta, account, answer, databases and volumes, ' +
      'destination, run, rules of applications, registry and its server, identity of backups',
  )
  const after = prefixIn(folder)
  assert.notEqual(after, before)
  assert.ok(!isInFiles(folder, before))
  assert.deepEqual(await sealedColumnsIn(folder, before), [])
  assert.deepEqual(await sealedColumnsIn(folder, after), allColumns)
  assert.equal(statSync(join(folder, 'master.key')).mode & 0o777, 0o600)
  assert.ok(!existsSync(join(folder, 'master.key.next')))
  await checkAll(config)
  const { store } = await openFilled(config)
  const entries = await store.db.selectFrom('audit').select(['kind', 'operation', 'record', 'result']).execute()
  assert.deepEqual(entries.at(-1), { kind: 'machine', operation: 'machine.rotateKey', record: null, result: 'OK' })
  assert.deepEqual(await store.db.selectFrom('meta').select('key').where('key', '=', 'vacuumDue').execute(), [])
  await store.close()
})

test('gives the new key file to the owner of the old key file', async (t) => {
  const folder = temporaryFolder(t)
  await fill(configOf(folder))
  const path = join(folder, 'master.key')
  const { uid } = statSync(path)
  // Only root can change the owner of a file.
  const owner = uid === 0 ? 65534 : uid
  chownSync(path, owner, statSync(path).gid)
  await rotateKey(configOf(folder), options)
  assert.deepEqual([statSync(path).uid, statSync(path).mode & 0o777], [owner, 0o600])
})

test('rotates the key twice in a row, also with an empty store', async (t) => {
  const [filled, empty] = [temporaryFolder(t), temporaryFolder(t)]
  await fill(configOf(filled))
  await (await openFilled(configOf(empty))).store.close()
  for (const folder of [filled, empty]) {
    const first = prefixIn(folder)
    await rotateKey(configOf(folder), options)
    const second = prefixIn(folder)
    await rotateKey(configOf(folder), options)
    assert.equal(new Set([first, second, prefixIn(folder)]).size, 3)
    assert.ok(!isInFiles(folder, first) && !isInFiles(folder, second))
  }
  await checkAll(configOf(filled))
})

const steps: Step[] = ['written', 'resealed', 'committed', 'taken']

for (const step of steps) {
  for (const next of ['start', 'rotation'] as const) {
    test(`a ${next} after a kill at the step '${step}' opens every secret`, async (t) => {
      const folder = temporaryFolder(t)
      await fill(configOf(folder), 200)
      const before = prefixIn(folder)
      await killedAt(step, folder)
      if (next === 'rotation') {
        await rotateKey(configOf(folder), options)
        assert.ok(!isInFiles(folder, before))
      }
      await checkAll(configOf(folder))
      const isChanged = next === 'rotation' || step === 'committed' || step === 'taken'
      assert.equal(prefixIn(folder) !== before, isChanged)
      assert.equal(isInFiles(folder, before), !isChanged)
      const left = readdirSync(folder).sort()
      assert.deepEqual(
        left.filter((name) => !name.startsWith('berth.')),
        ['access-token', 'master.key'],
      )
    })
  }
}

/** Rotates the key in a separate process, which kills itself after the step. */
async function killedAt(step: Step, folder: string, env: Record<string, string> = {}) {
  const program = `
    import { rotateKey } from '${new URL('../../src/installation/rotation.ts', import.meta.url)}'
    import { parseConfig } from '${new URL('../../src/config.ts', import.meta.url)}'
    const reached = (step) => { if (step === '${step}') process.kill(process.pid, 'SIGKILL') }
    await rotateKey(parseConfig(process.env), { now: () => new Date(), newId: () => 'new', reached })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: bareEnv({ BERTH_DATA: folder, ...env }),
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  assert.deepEqual(await once(child, 'exit'), [null, 'SIGKILL'])
}

test('replaces a key that is a setting by the new setting', async (t) => {
  const folder = temporaryFolder(t)
  const [before, both, after] = [
    { BERTH_MASTER_KEY: hexA },
    { BERTH_MASTER_KEY: hexA, BERTH_NEW_MASTER_KEY: hexB },
    { BERTH_MASTER_KEY: hexB },
  ]
  await fill(configOf(folder, before))
  await rotateKey(configOf(folder, both), options)
  await checkAll(configOf(folder, after))
  assert.ok(!isInFiles(folder, sealerOf(Buffer.from(hexA, 'hex')).prefix))
  await assert.rejects(openFilled(configOf(folder, before)), /master key does not open this store/)
  assert.ok(readdirSync(folder).every((name) => !name.startsWith('master.key')))
})

test('finishes without resealing if an earlier rotation was killed after the commit', async (t) => {
  const folder = temporaryFolder(t)
  const both = { BERTH_MASTER_KEY: hexA, BERTH_NEW_MASTER_KEY: hexB }
  await fill(configOf(folder, { BERTH_MASTER_KEY: hexA }))
  await killedAt('committed', folder, both)
  assert.deepEqual(await rotateKey(configOf(folder, both), options), { resealed: 0 })
  assert.ok(!isInFiles(folder, sealerOf(Buffer.from(hexA, 'hex')).prefix))
  for (const env of [both, { BERTH_MASTER_KEY: hexB }]) await checkAll(configOf(folder, env))
})

test('refuses contradictory settings, and changes nothing', async (t) => {
  const [byFile, bySetting] = [temporaryFolder(t), temporaryFolder(t)]
  await fill(configOf(byFile))
  await fill(configOf(bySetting, { BERTH_MASTER_KEY: hexA }))
  const key = readFileSync(join(byFile, 'master.key'), 'utf8')
  const cases: [string, Record<string, string>, RegExp][] = [
    [byFile, { BERTH_NEW_MASTER_KEY: hexB }, /unset BERTH_NEW_MASTER_KEY/],
    [bySetting, { BERTH_MASTER_KEY: hexA }, /Set BERTH_NEW_MASTER_KEY to the new key/],
    [bySetting, { BERTH_MASTER_KEY: hexA, BERTH_NEW_MASTER_KEY: hexA }, /Set another key/],
    [
      bySetting,
      { BERTH_MASTER_KEY: 'ef'.repeat(32), BERTH_NEW_MASTER_KEY: hexB.replace('c', 'e') },
      /master key does not open this store/,
    ],
  ]
  for (const [folder, env, messagePattern] of cases) {
    await assert.rejects(rotateKey(configOf(folder, env), options), messagePattern)
  }
  assert.equal(readFileSync(join(byFile, 'master.key'), 'utf8'), key)
  await checkAll(configOf(byFile))
  await checkAll(configOf(bySetting, { BERTH_MASTER_KEY: hexA }))
})

test('refuses a sealed value that it cannot reseal, and changes nothing', async (t) => {
  const folder = temporaryFolder(t)
  const config = configOf(folder)
  await fill(config)
  const { store, vault } = await openFilled(config)
  const description = vault.seal({ table: 'project', column: 'description', row: 'project' }, 'strange')
  await store.transact((tx) => tx.updateTable('project').set({ description }).execute())
  await store.close()
  await assert.rejects(rotateKey(config, options), /Berth cannot reseal project\.description\./)
  await checkAll(config)
})

test('refuses to rotate while Berth runs', async (t) => {
  const folder = temporaryFolder(t)
  await fill(configOf(folder))
  const { store } = await openFilled(configOf(folder))
  await assert.rejects(rotateKey(configOf(folder), options), /Another Berth is running/)
  await assert.rejects(openStore(folder), /Another Berth is running/)
  await store.close()
  await checkAll(configOf(folder))
})
