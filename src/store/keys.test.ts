import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/folder.ts'
import { parseConfig } from '../config.ts'
import { identify } from './identity.ts'
import { openKeys } from './keys.ts'
import { openStore } from './open-sqlite.ts'
import { vaultOf } from './vault.ts'

const configOf = (folder: string, more = {}) => parseConfig({ BERTH_DATA: folder, ...more })
const modeOf = (path: string) => statSync(path).mode & 0o777

test('the first start makes both secrets, readable by their owner alone; later ones read them', (t) => {
  const folder = join(temporaryFolder(t), 'data')
  const first = openKeys(configOf(folder))
  assert.match(first.installationToken, /^berth_inst_[\w-]{43}$/)
  assert.equal(first.masterKey.length, 32)
  assert.equal(readFileSync(first.tokenPlace, 'utf8').trim(), first.installationToken)
  assert.deepEqual(['', 'master.key', 'access-token'].map((name) => modeOf(join(folder, name))), [0o700, 0o600, 0o600])
  assert.deepEqual(openKeys(configOf(folder)), first)
})

test('settings take the place of the files', (t) => {
  const folder = temporaryFolder(t)
  const token = 'x'.repeat(32)
  const keys = openKeys(configOf(folder, { BERTH_ACCESS_TOKEN: token, BERTH_MASTER_KEY: 'ab'.repeat(32) }))
  assert.deepEqual(keys,
    { masterKey: Buffer.alloc(32, 0xab), installationToken: token, tokenPlace: 'BERTH_ACCESS_TOKEN' })
})

test('a damaged master key is said, not replaced', (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'master.key'), 'short\n')
  assert.throws(() => openKeys(configOf(folder)), /does not hold a master key/)
  assert.equal(readFileSync(join(folder, 'master.key'), 'utf8'), 'short\n')
})

test('a store keeps its installation id and refuses another master key', async (t) => {
  const store = await openStore(temporaryFolder(t))
  t.after(() => store.close())
  const vault = vaultOf(Buffer.alloc(32, 1))
  const id = await identify(store, vault, () => 'first')
  assert.equal(await identify(store, vault, () => 'second'), id)
  await assert.rejects(identify(store, vaultOf(Buffer.alloc(32, 2)), () => 'third'), /master key is not the one/)
})
