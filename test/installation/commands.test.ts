/** The commands on the machine, as separate processes, while Berth runs and while it does not. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { codeAt } from '../../src/lib/crypto/totp.ts'
import { base32Secret } from '../../src/lib/crypto/base32-secret.ts'
import { checkChain } from '../../src/api/audit-log.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import { type Berth, installationToken, startBerth } from '../fixtures/harness.ts'
import { checkAll, configOf, fill } from './filled-store.ts'
import { run, type Said } from './run-words.ts'

const email = 'Ada@example.org'
const first = 'correct horse'

type Body = Record<string, unknown> & { accessToken: string; challengeToken: string }

const login = (berth: Berth, password: string) => berth.call<Body>('auth.login', { email, password }, installationToken)

/** Creates an administrator with a second factor, a session and an API token. */
async function lockedOut(berth: Berth) {
  const given = { email, password: first }
  const {
    body: { accessToken },
  } = await berth.call<Body>('auth.createAdmin', given, installationToken)
  const {
    body: { secret },
  } = await berth.call<{ secret: string }>('auth.generate2FASecret', {}, accessToken)
  const {
    body: { token },
  } = await berth.call<{ token: string }>('auth.generateToken', {}, accessToken)
  const set = await berth.call('auth.verify2FASetup', { secret, pin: codeAt(secret, new Date()) }, accessToken)
  assert.equal(set.status, 200, JSON.stringify(set.body))
  const {
    body: { challengeToken },
  } = await login(berth, first)
  return { accessToken, apiToken: token, challengeToken }
}

const passwordIn = ({ out }: Said) => /Password +(\S+)/.exec(out)![1]!
const tables = ['token', 'attempt', 'recoveryCode'] as const

async function countsIn(berth: Berth) {
  const rows = tables.map(async (table) => (await berth.app.db.selectFrom(table).selectAll().execute()).length)
  return Object.fromEntries((await Promise.all(rows)).map((count, n) => [tables[n]!, count]))
}

test('lets a locked-out administrator in again while Berth runs', async () => {
  await using berth = await startBerth()
  const { accessToken, apiToken, challengeToken } = await lockedOut(berth)
  for (let n = 0; n < 11; n++) await login(berth, 'wrong password')
  assert.equal((await login(berth, first)).status, 429)
  const said = await run(berth.folder, ['admin', 'reset-password', 'ada@EXAMPLE.org'])
  assert.deepEqual([said.status, said.err], [0, ''])
  assert.match(said.out, /E-mail +Ada@example\.org\n[\s\S]*second factor stays on.*reset-2fa Ada@example\.org/)
  const password = passwordIn(said)
  assert.deepEqual([(await login(berth, first)).status, (await login(berth, password)).status], [401, 200])
  for (const ended of [accessToken, challengeToken, apiToken]) {
    assert.equal((await berth.call('auth.get', {}, ended)).status, 401)
  }
  assert.match(said.out, /All its sessions have ended, and so has its API token\./)
  assert.match((await login(berth, password)).body.challengeToken, /^berth_2fa_/)

  const off = await run(berth.folder, ['admin', 'reset-2fa', email])
  assert.deepEqual([off.status, off.err], [0, ''])
  assert.match(off.out, /The second factor of Ada@example\.org is off/)
  assert.match((await login(berth, password)).body.accessToken, /^berth_sess_/)
  const { token, recoveryCode } = await countsIn(berth)
  assert.deepEqual([token, recoveryCode], [1, 0], 'the session')
  const again = await run(berth.folder, ['admin', 'reset-2fa', email])
  assert.deepEqual([again.status, again.out], [0, '\n  The second factor of Ada@example.org was off already.\n\n'])
  await checkAudit(berth, ['resetPassword', 'resetSecondFactor', 'resetSecondFactor'])
})

async function checkAudit(berth: Berth, wanted: string[]) {
  const { db, vault } = berth.app
  const entries = await db.selectFrom('audit').selectAll().where('kind', '=', 'machine').orderBy('seq').execute()
  const [account] = await db.selectFrom('account').select('id').execute()
  const told = entries.map(({ operation, record, accountId, email, tokenId, address, result }) => ({
    operation,
    record,
    accountId,
    email,
    tokenId,
    address,
    result,
  }))
  const nobody = { accountId: null, email: null, tokenId: null, address: '' }
  assert.deepEqual(
    told,
    wanted.map((name) => ({ operation: `machine.${name}`, record: account!.id, ...nobody, result: 'OK' })),
  )
  assert.equal((await checkChain(db, vault)).brokenAt, null)
}

test('lets an administrator in while Berth is stopped, also after a change of the key', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-machine-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const before = await startBerth({ folder })
  await lockedOut(before)
  const running = await run(folder, ['key', 'rotate'])
  assert.deepEqual([running.status, running.out], [1, ''])
  assert.match(running.err, /Berth is running on .+\. Stop it first/)
  await before.close()
  const key = readFileSync(join(folder, 'master.key'), 'utf8')
  const rotated = await run(folder, ['key', 'rotate'])
  assert.deepEqual([rotated.status, rotated.err], [0, ''])
  assert.match(rotated.out, /All that it sealed \(\d+ texts\) is sealed anew/)
  assert.notEqual(readFileSync(join(folder, 'master.key'), 'utf8'), key)
  assert.ok(!rotated.out.includes(readFileSync(join(folder, 'master.key'), 'utf8').trim()))
  const password = passwordIn(await run(folder, ['admin', 'reset-password', email]))
  assert.equal((await run(folder, ['admin', 'reset-2fa', email])).status, 0)
  const after = await startBerth({ folder })
  assert.equal((await login(after, first)).status, 401)
  assert.match((await login(after, password)).body.accessToken, /^berth_sess_/)
  assert.equal((await checkChain(after.app.db, after.app.vault)).brokenAt, null)
  await after.close()
})

test('changes a key that is a setting', async (t) => {
  const folder = temporaryFolder(t)
  const [BERTH_MASTER_KEY, BERTH_NEW_MASTER_KEY] = ['ab'.repeat(32), 'cd'.repeat(32)]
  await fill(configOf(folder, { BERTH_MASTER_KEY }))
  const malformed = await run(folder, ['key', 'rotate'], { BERTH_MASTER_KEY, BERTH_NEW_MASTER_KEY: 'short' })
  assert.equal(malformed.status, 1)
  assert.match(malformed.err, /BERTH_NEW_MASTER_KEY must be 32 bytes in base64 or hexadecimal/)
  const rotated = await run(folder, ['key', 'rotate'], { BERTH_MASTER_KEY, BERTH_NEW_MASTER_KEY })
  assert.deepEqual([rotated.status, rotated.err], [0, ''])
  assert.match(rotated.out, /set BERTH_MASTER_KEY to the value of BERTH_NEW_MASTER_KEY/)
  assert.ok(!rotated.out.includes(BERTH_NEW_MASTER_KEY))
  await checkAll(configOf(folder, { BERTH_MASTER_KEY: BERTH_NEW_MASTER_KEY }))
})

test('says in a sentence why a command failed, and exits with 1', async (t) => {
  const [full, none] = [temporaryFolder(t), temporaryFolder(t)]
  await fill(configOf(full))
  const cases: [string, string[], RegExp][] = [
    [
      full,
      ['admin', 'reset-password', 'eve@example.org'],
      /no account eve@example\.org\. These there are:\n\n +Ada@example\.org \(administrator\)/,
    ],
    [full, ['admin', 'reset-2fa', 'eve@example.org'], /no account eve@example\.org/],
    [none, ['admin', 'reset-password', email], /There is no store of Berth in /],
    [none, ['key', 'rotate'], /There is no store of Berth in /],
  ]
  for (const [folder, words, sentence] of cases) {
    const said = await run(folder, words)
    assert.deepEqual([said.status, said.out], [1, ''], words.join(' '))
    assert.match(said.err, sentence)
    assert.doesNotMatch(said.err, /\n +at /, 'no stack')
  }
  assert.ok(!existsSync(join(none, 'berth.db')))
  await checkAll(configOf(full))
})

test('answers wrong arguments with the usage and status 2, and help with status 0', async (t) => {
  const folder = temporaryFolder(t)
  const wrong: [string[], RegExp][] = [
    [['admin'], /reset-password EMAIL[\s\S]*reset-2fa EMAIL/],
    [['key'], /key rotate/],
    [['admin', 'promote', email], /There is no command 'admin promote'\.[\s\S]*reset-2fa EMAIL/],
    [['admin', 'reset-password'], /takes the e-mail of an account/],
    [['state'], /state backup FILE[\s\S]*state restore FILE --replace/],
    [['state', 'backup'], /takes the name of one file, or -/],
    [['state', 'restore', 'a', 'b'], /takes the name of one file/],
    [['state', 'backup', 'a', '--replace'], /takes the name of one file/],
    [['state', 'restore', 'a', '--force'], /takes the name of one file/],
    [['admin', 'reset-2fa', email, 'more'], /takes the e-mail of an account/],
    [['key', 'rotate', 'now'], /takes no arguments/],
  ]
  await Promise.all(
    wrong.map(async ([words, said]) => {
      const { status, out, err } = await run(folder, words)
      assert.deepEqual([status, out], [2, ''], words.join(' '))
      assert.match(err, said)
    }),
  )
  await Promise.all(
    [
      ['admin', 'help'],
      ['key', '--help'],
      ['state', '-h'],
    ].map(async (words) => {
      const { status, out, err } = await run(folder, words)
      assert.deepEqual([status, err], [0, ''])
      assert.match(out, /\.\/berth/)
    }),
  )
})

test('passwords have 120 bits, are readable, and differ', () => {
  const made = Array.from({ length: 200 }, () => base32Secret(6))
  for (const password of made) assert.match(password, /^([0-9a-hjkmnp-tv-z]{4}-){5}[0-9a-hjkmnp-tv-z]{4}$/)
  assert.equal(new Set(made).size, 200)
  assert.equal(new Set(made.join('').replaceAll('-', '')).size, 32)
})
