/** The commands on the machine, as separate processes, while Berth runs and while it is stopped. */
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
import { run, type CommandResult } from './run-command.ts'

const email = 'Ada@example.org'
const firstPassword = 'correct horse'

type Body = Record<string, unknown> & { accessToken: string; challengeToken: string }

const login = (berth: Berth, password: string) => berth.call<Body>('auth.login', { email, password }, installationToken)

/** Creates an administrator with a second factor, a session and an API token. */
async function createAdmin(berth: Berth) {
  const credentials = { email, password: firstPassword }
  const {
    body: { accessToken },
  } = await berth.call<Body>('auth.createAdmin', credentials, installationToken)
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
  } = await login(berth, firstPassword)
  return { accessToken, apiToken: token, challengeToken }
}

const passwordIn = ({ out }: CommandResult) => /Password +(\S+)/.exec(out)![1]!
const tables = ['token', 'attempt', 'recoveryCode'] as const

async function countsIn(berth: Berth) {
  const rows = tables.map(async (table) => (await berth.app.db.selectFrom(table).selectAll().execute()).length)
  return Object.fromEntries((await Promise.all(rows)).map((count, n) => [tables[n]!, count]))
}

test('resets the password and the second factor of an administrator while Berth runs', async () => {
  await using berth = await startBerth()
  const { accessToken, apiToken, challengeToken } = await createAdmin(berth)
  for (let n = 0; n < 11; n++) await login(berth, 'wrong password')
  assert.equal((await login(berth, firstPassword)).status, 429)
  const reset = await run(berth.folder, ['admin', 'reset-password', 'ada@EXAMPLE.org'])
  assert.deepEqual([reset.status, reset.err], [0, ''])
  assert.match(reset.out, /E-mail +Ada@example\.org\n[\s\S]*second factor stays on.*reset-2fa Ada@example\.org/)
  const password = passwordIn(reset)
  assert.deepEqual([(await login(berth, firstPassword)).status, (await login(berth, password)).status], [401, 200])
  for (const revoked of [accessToken, challengeToken, apiToken]) {
    assert.equal((await berth.call('auth.get', {}, revoked)).status, 401)
  }
  assert.match(reset.out, /All sessions of the account were ended, and its API token was revoked\./)
  assert.match((await login(berth, password)).body.challengeToken, /^berth_2fa_/)

  const turnedOff = await run(berth.folder, ['admin', 'reset-2fa', email])
  assert.deepEqual([turnedOff.status, turnedOff.err], [0, ''])
  assert.match(turnedOff.out, /The second factor of Ada@example\.org is off/)
  assert.match((await login(berth, password)).body.accessToken, /^berth_sess_/)
  const { token, recoveryCode } = await countsIn(berth)
  assert.deepEqual([token, recoveryCode], [1, 0], 'the token is the new session')
  const again = await run(berth.folder, ['admin', 'reset-2fa', email])
  assert.deepEqual([again.status, again.out], [0, '\n  The second factor of Ada@example.org was off already.\n\n'])
  await checkAudit(berth, ['resetPassword', 'resetSecondFactor', 'resetSecondFactor'])
})

async function checkAudit(berth: Berth, expectedCommands: string[]) {
  const { db, vault } = berth.app
  const entries = await db.selectFrom('audit').selectAll().where('kind', '=', 'machine').orderBy('seq').execute()
  const [account] = await db.selectFrom('account').select('id').execute()
  const actual = entries.map(({ operation, record, accountId, email, tokenId, address, result }) => ({
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
    actual,
    expectedCommands.map((name) => ({ operation: `machine.${name}`, record: account!.id, ...nobody, result: 'OK' })),
  )
  assert.equal((await checkChain(db, vault)).brokenAt, null)
}

test('resets the password and the second factor while Berth is stopped, also after a key rotation', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-machine-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const before = await startBerth({ folder })
  await createAdmin(before)
  const running = await run(folder, ['key', 'rotate'])
  assert.deepEqual([running.status, running.out], [1, ''])
  assert.match(running.err, /Berth is running on .+\. Stop Berth/)
  await before.close()
  const key = readFileSync(join(folder, 'master.key'), 'utf8')
  const rotated = await run(folder, ['key', 'rotate'])
  assert.deepEqual([rotated.status, rotated.err], [0, ''])
  assert.match(rotated.out, /All \d+ sealed values were resealed/)
  assert.notEqual(readFileSync(join(folder, 'master.key'), 'utf8'), key)
  assert.ok(!rotated.out.includes(readFileSync(join(folder, 'master.key'), 'utf8').trim()))
  const password = passwordIn(await run(folder, ['admin', 'reset-password', email]))
  assert.equal((await run(folder, ['admin', 'reset-2fa', email])).status, 0)
  const after = await startBerth({ folder })
  assert.equal((await login(after, firstPassword)).status, 401)
  assert.match((await login(after, password)).body.accessToken, /^berth_sess_/)
  assert.equal((await checkChain(after.app.db, after.app.vault)).brokenAt, null)
  await after.close()
})

test('rotates a master key that is a setting', async (t) => {
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

test('prints why a command failed, and exits with 1', async (t) => {
  const [filled, empty] = [temporaryFolder(t), temporaryFolder(t)]
  await fill(configOf(filled))
  const cases: [string, string[], RegExp][] = [
    [
      filled,
      ['admin', 'reset-password', 'eve@example.org'],
      /no account eve@example\.org\. The existing accounts are:\n\n +Ada@example\.org \(administrator\)/,
    ],
    [filled, ['admin', 'reset-2fa', 'eve@example.org'], /no account eve@example\.org/],
    [empty, ['admin', 'reset-password', email], /There is no store of Berth in /],
    [empty, ['key', 'rotate'], /There is no store of Berth in /],
  ]
  for (const [folder, args, messagePattern] of cases) {
    const result = await run(folder, args)
    assert.deepEqual([result.status, result.out], [1, ''], args.join(' '))
    assert.match(result.err, messagePattern)
    assert.doesNotMatch(result.err, /\n +at /, 'no stack')
  }
  assert.ok(!existsSync(join(empty, 'berth.db')))
  await checkAll(configOf(filled))
})

test('prints the usage with status 2 for wrong arguments, and with status 0 for help', async (t) => {
  const folder = temporaryFolder(t)
  const wrong: [string[], RegExp][] = [
    [['admin'], /reset-password EMAIL[\s\S]*reset-2fa EMAIL/],
    [['key'], /key rotate/],
    [['admin', 'promote', email], /Unknown command 'admin promote'\.[\s\S]*reset-2fa EMAIL/],
    [['admin', 'reset-password'], /takes one argument: the e-mail address of an account/],
    [['state'], /state backup FILE[\s\S]*state restore FILE --replace/],
    [['state', 'backup'], /takes one argument: the name of a file, or -/],
    [['state', 'restore', 'a', 'b'], /takes one argument: the name of a file/],
    [['state', 'backup', 'a', '--replace'], /takes one argument: the name of a file/],
    [['state', 'restore', 'a', '--force'], /takes one argument: the name of a file/],
    [['admin', 'reset-2fa', email, 'more'], /takes one argument: the e-mail address of an account/],
    [['key', 'rotate', 'now'], /takes no arguments/],
  ]
  await Promise.all(
    wrong.map(async ([args, messagePattern]) => {
      const { status, out, err } = await run(folder, args)
      assert.deepEqual([status, out], [2, ''], args.join(' '))
      assert.match(err, messagePattern)
    }),
  )
  await Promise.all(
    [
      ['admin', 'help'],
      ['key', '--help'],
      ['state', '-h'],
    ].map(async (args) => {
      const { status, out, err } = await run(folder, args)
      assert.deepEqual([status, err], [0, ''])
      assert.match(out, /^ +berth /m)
    }),
  )
})

test('creates different passwords of 120 bits in base 32', () => {
  const passwords = Array.from({ length: 200 }, () => base32Secret(6))
  for (const password of passwords) assert.match(password, /^([0-9a-hjkmnp-tv-z]{4}-){5}[0-9a-hjkmnp-tv-z]{4}$/)
  assert.equal(new Set(passwords).size, 200)
  assert.equal(new Set(passwords.join('').replaceAll('-', '')).size, 32)
})
