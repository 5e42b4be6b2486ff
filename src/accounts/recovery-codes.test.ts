/** Recovery codes in a store: their format, and that each is valid once for one account. */
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { folderUnder } from '../../test/fixtures/folder.ts'
import { insertAccount } from './accounts.ts'
import { openStore } from '../store/sqlite/open.ts'
import { issueRecoveryCodes, useRecoveryCode } from './recovery-codes.ts'

const end = new AsyncDisposableStack()
const store = await openStore(folderUnder(end))
end.defer(() => store.close())
after(() => end.disposeAsync())

const issue = (id: string) => store.transact((tx) => issueRecoveryCodes(tx, id))
const use = (id: string, typed: string) => store.transact((tx) => useRecoveryCode(tx, id, typed))
const rows = () => store.db.selectFrom('recoveryCode').selectAll().execute()

beforeEach(() =>
  store.transact(async (tx) => {
    await tx.deleteFrom('account').execute()
    for (const id of ['ada', 'bob']) {
      await insertAccount(tx, { id, email: `${id}@example.org`, passwordHash: '', rol: 'user' }, new Date(0))
    }
  }),
)

test('issues ten random codes without ambiguous letters and stores only hashes', async () => {
  const codes = [...(await issue('ada')), ...(await issue('bob'))]
  assert.equal(new Set(codes).size, 20)
  for (const code of codes) assert.match(code, /^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/)
  for (const { hash } of await rows()) assert.match(hash, /^[0-9a-f]{64}$/)
})

test('codes use every character of the alphabet', async () => {
  const characters = new Set<string>()
  for (let i = 0; i < 20; i++) for (const code of await issue('ada')) for (const each of code) characters.add(each)
  assert.equal([...characters].sort().join(''), '-0123456789abcdefghjkmnpqrstvwxyz')
})

test('a code is valid only once and only for its account', async () => {
  const [code] = (await issue('ada')) as [string]
  assert.equal(await use('bob', code), false)
  assert.deepEqual([await use('ada', code), await use('ada', code)], [true, false])
  assert.equal((await rows()).length, 9)
})

test('only one of concurrent uses succeeds', async () => {
  const [code] = (await issue('ada')) as [string]
  const used = await Promise.all(Array.from({ length: 5 }, () => use('ada', code)))
  assert.equal(used.filter(Boolean).length, 1)
})

test('new codes replace the old ones', async () => {
  const [old] = (await issue('ada')) as [string]
  const [fresh] = (await issue('ada')) as [string]
  assert.deepEqual([await use('ada', old), await use('ada', fresh)], [false, true])
})

test('accepts a code in upper case, with spaces or no separators, and with O for 0 and I or l for 1', async () => {
  const codes = await issue('ada')
  const typed = [
    codes[0]!.toUpperCase(),
    codes[1]!.replaceAll('-', ''),
    codes[2]!.replaceAll('-', ' '),
    ` ${codes[3]}\t\n`,
    codes[4]!.replaceAll('0', 'O').replaceAll('1', 'I'),
    codes[5]!.replaceAll('0', 'o').replaceAll('1', 'l'),
  ]
  for (const each of typed) assert.equal(await use('ada', each), true, each)
})

test('refuses a malformed code and deletes no code', async () => {
  const [code] = (await issue('ada')) as [string]
  const others = ['', ' ', '-', '%', '_'.repeat(16), '*', code.slice(0, -1), `${code}0`, code.slice(1), 'ü'.repeat(16)]
  for (const malformed of others) assert.equal(await use('ada', malformed), false, malformed)
  assert.equal((await rows()).length, 10)
})
