/** The secrets in the data folder, and the identity of the installation in its store. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/fixtures/folder.ts'
import { parseConfig } from '../config.ts'
import { identify, unlock } from './identity.ts'
import { deleteNextKey, openKeys, readMasterKeys, promoteNextKey, writeNextKey } from './keys.ts'
import { openStore } from '../store/sqlite/open.ts'
import { sealerOf } from '../store/vault.ts'

const configOf = (folder: string, env = {}) => parseConfig({ BERTH_DATA: folder, ...env })
const modeOf = (path: string) => statSync(path).mode & 0o777

test('creates both secrets at the first start with access for the owner only, and reads them later', (t) => {
  const folder = join(temporaryFolder(t), 'data')
  const first = openKeys(configOf(folder))
  assert.match(first.installationToken, /^berth_inst_[\w-]{43}$/)
  assert.equal(first.masterKey.length, 32)
  assert.equal(readFileSync(first.tokenLocation, 'utf8').trim(), first.installationToken)
  assert.deepEqual(
    ['', 'master.key', 'access-token'].map((name) => modeOf(join(folder, name))),
    [0o700, 0o600, 0o600],
  )
  assert.deepEqual(openKeys(configOf(folder)), first)
})

test('uses settings instead of files', (t) => {
  const folder = temporaryFolder(t)
  const token = 'x'.repeat(32)
  const keys = openKeys(configOf(folder, { BERTH_ACCESS_TOKEN: token, BERTH_MASTER_KEY: 'ab'.repeat(32) }))
  assert.deepEqual(keys, {
    masterKey: Buffer.alloc(32, 0xab),
    nextKey: null,
    installationToken: token,
    tokenLocation: 'BERTH_ACCESS_TOKEN',
  })
})

test('reports a damaged master key and does not replace it', (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'master.key'), 'short\n')
  assert.throws(() => openKeys(configOf(folder)), /does not contain a master key/)
  assert.equal(readFileSync(join(folder, 'master.key'), 'utf8'), 'short\n')
})

test('keeps the installation id and the fingerprint key that the store has', async (t) => {
  const store = await openStore(temporaryFolder(t))
  t.after(() => store.close())
  const sealer = sealerOf(Buffer.alloc(32, 1))
  const cell = { table: 'a', column: 'b', row: 'c' }
  const first = await identify(store, sealer, () => 'first')
  const second = await identify(store, sealer, () => 'second')
  assert.deepEqual([first.installationId, second.installationId], ['first', 'first'])
  assert.equal(first.vault.fingerprint(cell, 'text'), second.vault.fingerprint(cell, 'text'))
})

test('unlocks with the key that sealed the proof, and refuses other keys', () => {
  const [masterKey, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const proof = sealerOf(masterKey).seal({ table: 'meta', column: 'value', row: 'masterKeyProof' }, 'berth')
  const keyOf = (keys: { masterKey: Buffer; nextKey: Buffer | null }) => unlock(keys, proof).key
  assert.equal(keyOf({ masterKey, nextKey: null }), 'masterKey')
  assert.equal(keyOf({ masterKey, nextKey: other }), 'masterKey')
  assert.equal(keyOf({ masterKey: other, nextKey: masterKey }), 'nextKey')
  for (const nextKey of [null, other]) {
    assert.throws(() => keyOf({ masterKey: other, nextKey }), /master key does not open this store/)
  }
})

test('ignores an incomplete next key, and ignores key files if the master key is a setting', (t) => {
  const folder = temporaryFolder(t)
  const { masterKey } = openKeys(configOf(folder))
  writeFileSync(join(folder, 'master.key.next'), 'incomplete')
  assert.deepEqual(readMasterKeys(configOf(folder)), { masterKey, nextKey: null })
  const next = writeNextKey(configOf(folder))
  assert.equal(modeOf(join(folder, 'master.key.next')), 0o600)
  assert.deepEqual(readMasterKeys(configOf(folder)), { masterKey, nextKey: next })
  const settings = { BERTH_MASTER_KEY: 'ab'.repeat(32), BERTH_NEW_MASTER_KEY: 'cd'.repeat(32) }
  assert.deepEqual(readMasterKeys(configOf(folder, settings)), {
    masterKey: Buffer.alloc(32, 0xab),
    nextKey: Buffer.alloc(32, 0xcd),
  })
  promoteNextKey(configOf(folder, settings))
  deleteNextKey(configOf(folder, settings))
  assert.equal(existsSync(join(folder, 'master.key.next')), true)
  promoteNextKey(configOf(folder))
  assert.deepEqual(readMasterKeys(configOf(folder)), { masterKey: next, nextKey: null })
})
