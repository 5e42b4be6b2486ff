/** Sessions and API tokens: only their account can list, create and end them. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { type Berth, day, minute, password, second, type Session, startTeam } from './auth-fixture.ts'

let berth: Berth
let ada: Session
let bob: Session
beforeEach(async () => {
  ;({ berth, ada, bob } = await startTeam())
})
afterEach(() => berth.close())

interface Listed {
  sessionId: string
  isCurrent: boolean
  lastUsedAt: string
}
interface ApiToken {
  tokenId: string
  name: string | null
  scope: string
  expiresAt: string | null
  token: string
}

const sessions = (as = bob.accessToken) => berth.call<Listed[]>('auth.sessions', {}, as)
const tokens = (as = bob.accessToken) => berth.call<ApiToken[]>('auth.tokens', {}, as)
const createToken = (overrides = {}, as = bob.accessToken) =>
  berth.call<ApiToken>('auth.createToken', { name: 'ci', scope: 'read', ...overrides }, as)
const ended = (as: string) => berth.refused('UNAUTHORIZED', 'auth.get', {}, as)
const login = () => berth.login({ email: 'bob@example.org' })

test('sessions lists the sessions of the account, oldest first, without their tokens', async () => {
  berth.pass(minute)
  const { accessToken } = await login()
  const listed = await sessions(accessToken)
  const both = { address: '127.0.0.1', passed2FA: false }
  assert.deepEqual(listed, [
    {
      ...both,
      sessionId: listed[0]!.sessionId,
      isCurrent: false,
      createdAt: '2030-01-01T00:00:00.000Z',
      lastUsedAt: '2030-01-01T00:00:00.000Z',
      expiresAt: '2030-01-31T00:00:00.000Z',
    },
    {
      ...both,
      sessionId: listed[1]!.sessionId,
      isCurrent: true,
      createdAt: '2030-01-01T00:01:00.000Z',
      lastUsedAt: '2030-01-01T00:01:00.000Z',
      expiresAt: '2030-01-31T00:01:00.000Z',
    },
  ])
})

test('sessions omits expired and unused sessions', async () => {
  await login()
  berth.pass(6 * day)
  await berth.call('auth.get', {}, bob.accessToken)
  berth.pass(day + 10 * minute)
  assert.deepEqual(
    (await sessions()).map(({ isCurrent }) => isCurrent),
    [true],
  )
})

test('revokeSession ends one session at once, also the current one', async () => {
  const { accessToken: other } = await login()
  const [own, another] = await sessions()
  assert.deepEqual(await berth.call('auth.revokeSession', { sessionId: another!.sessionId }, bob.accessToken), another)
  await ended(other)
  assert.deepEqual(await sessions(), [own])
  await berth.refused('NOT_FOUND', 'auth.revokeSession', { sessionId: another!.sessionId }, bob.accessToken)
  await berth.call('auth.revokeSession', { sessionId: own!.sessionId }, bob.accessToken)
  await ended(bob.accessToken)
  await berth.refused('UNAUTHORIZED', 'auth.login', { email: 'bob@example.org', password }, bob.accessToken)
})

test('sessions and tokens of other accounts get 404, also for administrators', async () => {
  const { tokenId } = await createToken()
  const [adaSession] = await sessions(ada.accessToken)
  const [bobSession] = await sessions()
  for (const [as, sessionId] of [
    [bob.accessToken, adaSession!.sessionId],
    [ada.accessToken, bobSession!.sessionId],
    [bob.accessToken, tokenId],
    [bob.accessToken, 'unknown'],
  ] as const) {
    const { message } = await berth.refused('NOT_FOUND', 'auth.revokeSession', { sessionId }, as)
    assert.equal(message, 'You have no active session with this id. auth.sessions lists your sessions')
  }
  for (const [as, id] of [
    [ada.accessToken, tokenId],
    [bob.accessToken, bobSession!.sessionId],
  ] as const) {
    await berth.refused('NOT_FOUND', 'auth.revokeToken', { tokenId: id }, as)
  }
  assert.deepEqual(await tokens(ada.accessToken), [])
})

test('createToken answers the token once, and the list contains all other fields', async () => {
  const { token, ...rest } = await createToken({ expiresAt: '2030-02-01T01:00:00+01:00' })
  assert.match(token, /^berth_api_[\w-]{43}$/)
  const at = '2030-01-01T00:00:00.000Z'
  const expected = { tokenId: rest.tokenId, name: 'ci', scope: 'read', createdAt: at, lastUsedAt: at, projects: null }
  assert.deepEqual(rest, { ...expected, expiresAt: '2030-02-01T00:00:00.000Z' })
  assert.deepEqual(await tokens(), [rest])
  assert.equal((await createToken({ name: 'other' })).expiresAt, null)
})

test('an API token expires at its expiresAt', async () => {
  const { token, tokenId } = await createToken({ expiresAt: '2030-01-01T00:00:10Z' })
  berth.pass(10 * second - 1)
  await berth.call('auth.get', {}, token)
  berth.pass(1)
  for (const name of ['auth.get', 'auth.login']) {
    await berth.refused('UNAUTHORIZED', name, { email: 'bob@example.org', password }, token)
  }
  assert.deepEqual(
    (await tokens()).map((each) => each.tokenId),
    [tokenId],
    'the expired token is still listed',
  )
  await berth.call('auth.revokeToken', { tokenId }, bob.accessToken)
})

const wrong: [field: string, value: unknown][] = [
  ['scope', undefined],
  ['scope', 'root'],
  ['scope', 'user:session'],
  ['scope', null],
  ['scope', ['read', 'admin']],
  ['name', undefined],
  ['name', ''],
  ['name', 'a\0b'],
  ['name', 'a\nb'],
  ['name', 'x'.repeat(256)],
  ['name', null],
  ['expiresAt', null],
  ['expiresAt', '2030-01-01T00:00:00Z'],
  ['expiresAt', '1970-01-01T00:00:00Z'],
  ['expiresAt', '2031-02-30T00:00:00Z'],
  ['expiresAt', '2031-01-01'],
  ['expiresAt', 'tomorrow'],
  ['expiresAt', 1e15],
  ['expiresAt', '9999-12-31T23:59:59-23:59'],
]
for (const [field, value] of wrong) {
  test(`createToken refuses ${field} ${JSON.stringify(value)?.slice(0, 40)}`, async () => {
    const input = { name: 'ci', scope: 'read', [field]: value }
    const { issues } = await berth.refused('BAD_REQUEST', 'auth.createToken', input, bob.accessToken)
    assert.deepEqual([...new Set(issues.map(({ path }) => path))], [field])
  })
}

test('the name of a token is unique in its account, also with concurrent calls', async () => {
  const { tokenId } = await createToken()
  await berth.refused('CONFLICT', 'auth.createToken', { name: 'ci', scope: 'admin' }, bob.accessToken)
  await createToken({}, ada.accessToken)
  await berth.call('auth.revokeToken', { tokenId }, bob.accessToken)
  const both = await Promise.allSettled([createToken(), createToken()])
  assert.equal(both.filter(({ status }) => status === 'fulfilled').length, 1)
})

test('revokeToken ends one token at once and no other', async () => {
  const [one, other] = [await createToken(), await createToken({ name: 'other' })]
  const { token: _, ...rest } = one
  assert.deepEqual(await berth.call('auth.revokeToken', { tokenId: one.tokenId }, bob.accessToken), rest)
  await ended(one.token)
  await berth.call('auth.get', {}, other.token)
  await berth.refused('NOT_FOUND', 'auth.revokeToken', { tokenId: one.tokenId }, bob.accessToken)
})

test('generateToken replaces only its own last token', async () => {
  const named = await createToken()
  const adaSession = await berth.call('auth.generateToken', {}, ada.accessToken)
  const first = await berth.call('auth.generateToken', {}, bob.accessToken)
  const { token } = await berth.call('auth.generateToken', {}, bob.accessToken)
  await ended(first.token)
  for (const each of [named.token, adaSession.token, token]) await berth.call('auth.get', {}, each)
  assert.deepEqual(
    (await tokens()).map(({ name, scope }) => [name, scope]),
    [
      ['ci', 'read'],
      [null, 'admin'],
    ],
  )
})

test('API tokens of any scope cannot list, create or revoke tokens and sessions', async () => {
  const [{ sessionId }] = (await sessions()) as [Listed]
  for (const scope of ['read', 'deploy', 'admin']) {
    const { token, tokenId } = await createToken({ name: scope, scope })
    for (const name of [
      'auth.sessions',
      'auth.revokeSession',
      'auth.tokens',
      'auth.createToken',
      'auth.revokeToken',
      'auth.generateToken',
      'auth.generate2FASecret',
      'auth.verify2FASetup',
      'auth.disable2FA',
      'auth.update',
      'auth.logout',
    ])
      await berth.refused('FORBIDDEN', name, { name: 'more', scope: 'admin', sessionId, tokenId }, token)
  }
})

test('sessions and tokens are paged without gaps or repetitions', async () => {
  for (let i = 0; i < 4; i++) {
    await login()
    await createToken({ name: `token ${i}` })
  }
  for (const name of ['auth.sessions', 'auth.tokens']) {
    const complete = await berth.call<unknown[]>(name, {}, bob.accessToken)
    const first = await berth.reply<unknown[]>(name, { limit: 2 }, bob.accessToken)
    const cursor = first.headers['berth-next-cursor']!
    const rest = await berth.reply<unknown[]>(name, { limit: 100, cursor }, bob.accessToken)
    assert.deepEqual([...first.body, ...rest.body], complete)
    assert.deepEqual([first.body.length, rest.headers['berth-next-cursor']], [2, undefined])
  }
})

test('a repeated idempotency key answers the same token, only to the same account', async () => {
  const createWithKey = (as: string) =>
    berth.call<ApiToken>('auth.createToken', { name: 'ci', scope: 'read' }, as, { 'idempotency-key': 'one' })
  const [first, again, adaSession] = [
    await createWithKey(bob.accessToken),
    await createWithKey(bob.accessToken),
    await createWithKey(ada.accessToken),
  ]
  assert.deepEqual(again, first)
  assert.notEqual(adaSession.token, first.token)
  assert.equal((await tokens()).length, 1)
  assert.ok(!JSON.stringify(await berth.rows('idempotency')).includes(first.token.slice('berth_api_'.length)))
})
