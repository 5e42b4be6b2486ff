/** Signing in and out: answers, refusals, and that a refusal writes nothing. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { type Berth, day, factsOf, minute, password, refusalOf, type Session, startAuth } from './auth-fixture.ts'

let berth: Berth
let admin: string
beforeEach(async () => {
  berth = await startAuth()
  admin = (await berth.createAdmin()).accessToken
})
afterEach(() => berth.close())

const credentials = { email: 'Ada@Example.org', password }

test('createAdmin answers a session and the account without its secrets', async () => {
  await using fresh = await startAuth()
  const { accessToken, expiresAt, account } = await fresh.createAdmin()
  assert.match(accessToken, /^berth_sess_[\w-]{43}$/)
  assert.equal(expiresAt, '2030-01-31T00:00:00.000Z')
  const { id, ...rest } = account
  assert.match(id, /^[0-9a-f-]{36}$/)
  assert.deepEqual(rest, {
    email: 'Ada@Example.org',
    password: null,
    rol: 'admin',
    image: '',
    secret: null,
    token: null,
    is2FAEnabled: false,
    createdAt: '2030-01-01T00:00:00.000Z',
    allProjects: true,
  })
  assert.deepEqual(await fresh.call('auth.get', {}, accessToken), account)
  assert.deepEqual(await fresh.rows('attempt'), [], 'a correct attempt is not counted')
})

const inputs: [fault: string, input: Record<string, unknown>, path: string, message: RegExp][] = [
  ['no e-mail', { password }, 'email', /e-mail/],
  ['an e-mail that is a number', { email: 7, password }, 'email', /e-mail/],
  ['an e-mail without a host', { email: 'ada@', password }, 'email', /e-mail address, like/],
  ['two e-mails', { email: 'ada@example.org,eve@example.org', password }, 'email', /e-mail address, like/],
  ['a line break in the e-mail', { email: 'ada@example.org\nBcc: eve@x.org', password }, 'email', /e-mail address/],
  ['a NUL in the e-mail', { email: 'ada\0@example.org', password }, 'email', /e-mail address/],
  ['255 characters of e-mail', { email: `${'a'.repeat(243)}@example.org`, password }, 'email', /at most 254/],
  ['65 characters before the @', { email: `${'a'.repeat(65)}@example.org`, password }, 'email', /at most 64/],
  ['64 characters of a label', { email: `ada@${'x'.repeat(64)}.org`, password }, 'email', /63 in each part/],
  ['a label that ends with a hyphen', { email: 'ada@example-.org', password }, 'email', /may end with a hyphen/],
  ['no password', { email: credentials.email }, 'password', /is required/],
  ['a password that is null', { email: credentials.email, password: null }, 'password', /must be a text/],
  ['a password of 7 characters', { email: credentials.email, password: '1234567' }, 'password', /at least 8/],
  ['1,025 characters of password', { email: credentials.email, password: 'x'.repeat(1025) }, 'password', /most 1,024/],
]
for (const [fault, input, path, message] of inputs) {
  for (const name of ['auth.createAdmin', 'auth.login']) {
    test(`${name} refuses ${fault}, names the field and writes nothing`, async () => {
      const before = await berth.everything()
      const refusal = await refusalOf(berth.call(name, input, berth.installationToken))
      assert.equal(refusal.code, 'BAD_REQUEST')
      assert.deepEqual(
        refusal.issues.map((issue) => issue.path),
        [path],
      )
      assert.match(refusal.issues[0]!.message, message)
      assert.deepEqual(await berth.everything(), before)
    })
  }
}

test('createAdmin refuses the mask of secrets as a password', async () => {
  await using fresh = await startAuth()
  const input = { email: credentials.email, password: '********' }
  const refusal = await refusalOf(fresh.call('auth.createAdmin', input, fresh.installationToken))
  assert.deepEqual(factsOf(refusal), [
    'BAD_REQUEST',
    'password: "********" is the mask for secrets. Send a real password',
  ])
  assert.deepEqual(await fresh.rows('account'), [])
})

test('accepts any text as a password', async () => {
  const texts = ['p\'a"s$s\\w`ord; --', '  spaces  ', 'nul\0inside', 'пароль🔑パス', 'x'.repeat(1024)]
  for (const text of texts) {
    await using fresh = await startAuth()
    await fresh.createAdmin({ password: text })
    await fresh.login({ password: text })
    assert.equal((await refusalOf(fresh.login({ password: `${text.slice(0, 1000)}!` }))).code, 'UNAUTHORIZED')
  }
})

test('each login starts a new session and keeps the others', async () => {
  const [one, two] = [await berth.login(), await berth.login()]
  assert.notEqual(one.accessToken, two.accessToken)
  for (const token of [admin, one.accessToken, two.accessToken]) {
    assert.deepEqual(await berth.call('auth.get', {}, token), one.account)
  }
  assert.equal((await berth.rows('token')).length, 3)
  assert.deepEqual(await berth.rows('attempt'), [])
})

test('login ignores the case of the e-mail', async () => {
  const { account } = await berth.login({ email: 'ADA@example.ORG' })
  assert.equal(account.email, 'Ada@Example.org')
})

test('login refuses a wrong password and counts only failures', async () => {
  const before = await berth.everything()
  const refusal = await refusalOf(berth.login({ password: 'wrong password' }))
  assert.deepEqual([refusal.status, ...factsOf(refusal)], [401, 'UNAUTHORIZED', 'Wrong e-mail or password'])
  const { attempt, ...rest } = await berth.everything()
  assert.deepEqual({ ...rest, attempt: [] }, before)
  assert.deepEqual(
    attempt.map(({ failures }) => failures),
    [1, 1],
    'one for the account, one for the address',
  )
})

test('ten concurrent correct logins start ten sessions and count no attempt', async () => {
  const all = await Promise.all(Array.from({ length: 10 }, () => berth.login()))
  assert.equal(new Set(all.map(({ accessToken }) => accessToken)).size, 10)
  assert.deepEqual(await berth.rows('attempt'), [])
})

test('a correct login forgets failed attempts for its account, not those of its address', async () => {
  for (let i = 0; i < 3; i++) await refusalOf(berth.login({ password: 'wrong password' }))
  await berth.login()
  assert.deepEqual(
    (await berth.rows('attempt')).map(({ failures }) => failures),
    [3],
  )
})

test('the sign-in operations accept a session or an API token in place of the installation token', async () => {
  const { token } = await berth.call('auth.generateToken', {}, admin)
  for (const bearer of [admin, token]) {
    await berth.call('auth.login', credentials, bearer)
    assert.equal((await refusalOf(berth.call('auth.createAdmin', credentials, bearer))).code, 'CONFLICT')
  }
})

test('verifyToken answers the account of the token', async () => {
  const { id: accountId } = await berth.call('auth.get', {}, admin)
  const { token } = await berth.call('auth.generateToken', {}, admin)
  assert.deepEqual(await berth.call('auth.verifyToken', {}, admin), {
    valid: true,
    accountId,
    rol: 'admin',
    kind: 'session',
    scope: null,
    expiresAt: '2030-01-31T00:00:00.000Z',
    projects: null,
  })
  assert.deepEqual(await berth.call('auth.verifyToken', {}, token), {
    valid: true,
    accountId,
    rol: 'admin',
    kind: 'api',
    scope: 'admin',
    expiresAt: null,
    projects: null,
  })
})

test('logout ends only the session of the call', async () => {
  const { accessToken: other, account } = await berth.login()
  const { token } = await berth.call('auth.generateToken', {}, other)
  assert.deepEqual(await berth.call('auth.logout', {}, admin), {
    accountId: account.id,
    kind: 'session',
    endedAt: '2030-01-01T00:00:00.000Z',
  })
  for (const bearer of [other, token]) assert.equal((await berth.call('auth.get', {}, bearer)).id, account.id)
})

test('generateToken answers a token that works at once', async () => {
  const answer = await berth.call('auth.generateToken', {}, admin)
  assert.deepEqual(Object.keys(answer), ['token'])
  assert.match(answer.token, /^berth_api_[\w-]{43}$/)
  assert.equal((await berth.call('auth.get', {}, answer.token)).email, 'Ada@Example.org')
})

test('an API token cannot sign out or create tokens', async () => {
  const { token } = await berth.call('auth.generateToken', {}, admin)
  const before = await berth.everything()
  for (const name of ['auth.logout', 'auth.generateToken']) {
    assert.equal((await refusalOf(berth.call(name, {}, token))).code, 'FORBIDDEN')
  }
  assert.deepEqual(await berth.everything(), before)
})

for (const bearer of ['', 'berth_sess_unknown', 'berth_api_unknown', 'not a token', "' or 1=1 --"]) {
  test(`no operation accepts the bearer "${bearer}"`, async () => {
    const before = await berth.everything()
    for (const name of berth.names) {
      const refusal = await refusalOf(berth.call(name, credentials, bearer))
      assert.equal(refusal.code, 'UNAUTHORIZED', name)
    }
    assert.deepEqual(await berth.everything(), before)
  })
}

test('a session ends after 7 days without use and continues with use', async () => {
  berth.pass(6 * day)
  await berth.call('auth.get', {}, admin)
  berth.pass(6 * day)
  await berth.call('auth.get', {}, admin)
  berth.pass(7 * day + 10 * minute)
  for (const name of berth.names.filter((each) => each !== 'auth.login')) {
    assert.equal((await refusalOf(berth.call(name, credentials, admin))).code, 'UNAUTHORIZED', name)
  }
})

test('an expired session can still call login', async () => {
  berth.pass(300 * day)
  const { accessToken } = await berth.call<Session>('auth.login', credentials, admin)
  assert.equal((await berth.call('auth.get', {}, accessToken)).email, 'Ada@Example.org')
  assert.equal(
    (await refusalOf(berth.call('auth.get', {}, admin))).code,
    'UNAUTHORIZED',
    'the sign-in does not renew the expired session',
  )
})

test('the token of generateToken does not expire', async () => {
  const { token } = await berth.call('auth.generateToken', {}, admin)
  berth.pass(1000 * day)
  assert.equal((await berth.call('auth.verifyToken', {}, token)).expiresAt, null)
})
