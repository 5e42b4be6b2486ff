/** Invitations: each creates one account once, and only invitations create further accounts. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { type Berth, day, factsOf, password, refusalOf, second, type Session, startAuth } from './auth-fixture.ts'

let berth: Berth
let admin: Session
beforeEach(async () => {
  berth = await startAuth()
  admin = await berth.createAdmin()
})
afterEach(() => berth.close())

interface Invitation {
  id: string
  token: string
  email: string
  rol: string
  invitedBy: string
  expiresAt: string
}

const invite = (overrides = {}, as = admin.accessToken) =>
  berth.call<Invitation>('user.invite', { email: 'bob@example.org', ...overrides }, as)
const list = (as = admin.accessToken) => berth.call<Invitation[]>('user.invitations', {}, as)
const use = ({ id, token }: Pick<Invitation, 'id' | 'token'>, as = token) =>
  berth.call<Session>('auth.createUser', { id, token, password }, as)
const refusedUse = ({ id, token }: Pick<Invitation, 'id' | 'token'>, as: string) =>
  berth.refused('UNAUTHORIZED', 'auth.createUser', { id, token, password }, as)

/** The refusal for every invalid invitation, whatever the reason. */
const refusal = [
  'UNAUTHORIZED',
  'This invitation is invalid, expired or already used. Ask an administrator for a new one',
]

test('invite answers the token once, and the list contains all other fields', async () => {
  const { token, ...rest } = await invite({ email: 'Bob@Example.org' })
  assert.match(token, /^berth_invt_[\w-]{43}$/)
  assert.deepEqual(rest, {
    id: rest.id,
    email: 'Bob@Example.org',
    rol: 'user',
    projects: null,
    invitedBy: admin.account.id,
    createdAt: '2030-01-01T00:00:00.000Z',
    expiresAt: '2030-01-08T00:00:00.000Z',
  })
  assert.deepEqual(await list(), [rest])
  assert.ok(!JSON.stringify(await berth.rows('invitation')).includes(token.slice('berth_invt_'.length)))
})

for (const rol of ['admin', 'user']) {
  test(`an invitation with role ${rol} creates an account with this role and signs in`, async () => {
    const { accessToken, expiresAt, account } = await use(await invite({ email: 'Bob@Example.org', rol }))
    assert.deepEqual([account.email, account.rol, account.is2FAEnabled], ['Bob@Example.org', rol, false])
    assert.equal(expiresAt, '2030-01-31T00:00:00.000Z')
    assert.deepEqual(await berth.call('auth.get', {}, accessToken), account)
    assert.deepEqual(await berth.call('user.byUserId', { userId: account.id }, accessToken), {
      userId: account.id,
      authId: account.id,
      email: 'Bob@Example.org',
      rol,
      is2FAEnabled: false,
      allProjects: true,
      projects: [],
      createdAt: '2030-01-01T00:00:00.000Z',
      lastSeenAt: '2030-01-01T00:00:00.000Z',
    })
    assert.deepEqual((await berth.login({ email: 'bob@example.org' })).account, account)
    assert.deepEqual([await list(), await berth.rows('attempt')], [[], []])
  })
}

test('createUser accepts the installation token, a session or an API token as bearer', async () => {
  const { token } = await berth.call('auth.generateToken', {}, admin.accessToken)
  for (const [i, bearer] of [berth.installationToken, admin.accessToken, token].entries()) {
    const { account } = await use(await invite({ email: `bob${i}@example.org` }), bearer)
    assert.equal(account.email, `bob${i}@example.org`)
  }
})

test('neither input nor bearer chooses the role, the e-mail or the id', async () => {
  const { id, token } = await invite()
  const more = { rol: 'admin', email: 'eve@example.org', is2FAEnabled: true, accountId: admin.account.id }
  const { account } = await berth.call<Session>('auth.createUser', { id, token, password, ...more }, admin.accessToken)
  assert.deepEqual([account.rol, account.email, account.is2FAEnabled], ['user', 'bob@example.org', false])
  assert.notEqual(account.id, admin.account.id)
})

test('an invitation can only call createUser', async () => {
  const { token } = await invite()
  for (const name of berth.names.filter((each) => each !== 'auth.createUser')) {
    await berth.refused('FORBIDDEN', name, { id: admin.account.id }, token)
  }
})

test('an invitation is valid once, also as a bearer', async () => {
  const one = await invite()
  await use(one)
  assert.deepEqual(factsOf(await refusedUse(one, berth.installationToken)), refusal)
  await refusedUse(one, one.token)
})

test('exactly one of two concurrent createUser calls with one invitation succeeds', async () => {
  const one = await invite()
  const ended = await Promise.allSettled(Array.from({ length: 6 }, () => use(one)))
  assert.equal(ended.filter(({ status }) => status === 'fulfilled').length, 1)
  for (const end of ended) if (end.status === 'rejected') assert.deepEqual(factsOf(end.reason), refusal)
  assert.equal((await berth.rows('account')).length, 2)
  assert.equal((await berth.rows('token')).length, 2)
})

test('an invitation is valid for exactly 7 days', async () => {
  const [early, late] = [await invite(), await invite({ email: 'late@example.org' })]
  berth.pass(7 * day - 1)
  assert.equal((await use(early)).account.email, 'bob@example.org')
  berth.pass(1)
  assert.deepEqual(factsOf(await refusedUse(late, berth.installationToken)), refusal)
  assert.match((await refusedUse(late, late.token)).message, /This token has expired or was revoked/)
  const { accessToken } = await berth.login()
  assert.deepEqual(await list(accessToken), [])
  await berth.refused('NOT_FOUND', 'user.revokeInvitation', { id: late.id }, accessToken)
})

test('a revoked invitation is invalid and cannot be revoked again', async () => {
  const { token, ...rest } = await invite()
  assert.deepEqual(await berth.call('user.revokeInvitation', { id: rest.id }, admin.accessToken), rest)
  await refusedUse({ id: rest.id, token }, token)
  assert.deepEqual(factsOf(await refusedUse({ id: rest.id, token }, berth.installationToken)), refusal)
  await berth.refused('NOT_FOUND', 'user.revokeInvitation', { id: rest.id }, admin.accessToken)
  await berth.refused('NOT_FOUND', 'user.revokeInvitation', { id: admin.account.id }, admin.accessToken)
})

test('a second invitation for an e-mail in any case replaces the first', async () => {
  const first = await invite({ rol: 'admin' })
  const again = await invite({ email: 'BOB@example.org' })
  assert.deepEqual(
    (await list()).map(({ id }) => id),
    [again.id],
  )
  await refusedUse(first, berth.installationToken)
  await refusedUse(first, first.token)
  assert.deepEqual([(await use(again)).account.rol], ['user'])
})

test('only one of two concurrent invitations for an e-mail is valid', async () => {
  const both = await Promise.all([invite(), invite()])
  const ended = await Promise.allSettled(both.map((each) => use(each, berth.installationToken)))
  assert.deepEqual(ended.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
})

test('a wrong id, a wrong token and a mixed pair get the same answer', async () => {
  const [one, other] = [await invite(), await invite({ email: 'other@example.org' })]
  const wrong = [
    { id: admin.account.id, token: one.token },
    { id: 'unknown', token: one.token },
    { id: one.id, token: other.token },
    { id: one.id, token: one.token.slice(0, -1) },
    { id: one.id, token: one.id },
    { id: one.id, token: berth.installationToken },
    { id: one.id, token: `${one.token}\0` },
  ]
  for (const pair of wrong) {
    for (const bearer of [berth.installationToken, one.token]) {
      assert.deepEqual(factsOf(await refusedUse(pair, bearer)), refusal)
    }
    berth.pass(3600 * second)
  }
  assert.equal((await use(one)).account.email, 'bob@example.org', 'the right pair stays valid')
})

const inputs: [fault: string, input: Record<string, unknown>, path: string][] = [
  ['a short password', { password: '1234567' }, 'password'],
  ['the mask as a password', { password: '********' }, 'password'],
  ['no token', { token: '' }, 'token'],
  ['a token that is null', { token: null }, 'token'],
  ['an id that is a list', { id: ['a'] }, 'id'],
  ['a token of 513 characters', { token: 'x'.repeat(513) }, 'token'],
]
for (const [fault, input, path] of inputs) {
  test(`createUser refuses ${fault}, and the invitation stays valid`, async () => {
    const one = await invite()
    const { issues } = await berth.refused(
      'BAD_REQUEST',
      'auth.createUser',
      { id: one.id, token: one.token, password, ...input },
      one.token,
    )
    assert.deepEqual(
      issues.map((issue) => issue.path),
      [path],
    )
    assert.deepEqual(await berth.rows('attempt'), [])
    await use(one)
  })
}

test('invite reveals to administrators that an e-mail has an account', async () => {
  for (const email of ['Ada@Example.org', 'ADA@EXAMPLE.ORG']) {
    const { message } = await berth.refused('CONFLICT', 'user.invite', { email }, admin.accessToken)
    assert.equal(message, 'email: already has an account')
  }
})

test('createUser does not reveal that the e-mail was taken after the invitation', async () => {
  const one = await invite({ email: 'new@example.org' })
  await berth.call('auth.update', { email: 'New@example.org', password: null }, admin.accessToken)
  assert.deepEqual(factsOf(await refusedUse(one, one.token)), refusal)
  assert.equal((await berth.rows('attempt')).length, 2, 'the attempt is counted')
})

test('only sessions of administrators can invite', async () => {
  const { accessToken } = await use(await invite())
  const { token } = await berth.call('auth.generateToken', {}, admin.accessToken)
  await berth.refused('FORBIDDEN', 'user.invite', { email: 'eve@example.org' }, token)
  for (const name of ['user.invite', 'user.invitations', 'user.revokeInvitation']) {
    await berth.refused('FORBIDDEN', name, { email: 'eve@example.org', id: 'any' }, accessToken)
  }
})

for (const rol of ['root', '', null, 'Admin', ['admin']]) {
  test(`invite refuses the role ${JSON.stringify(rol)}`, async () => {
    await berth.refused('BAD_REQUEST', 'user.invite', { email: 'eve@example.org', rol }, admin.accessToken)
  })
}

test('the invitations of a demoted administrator are invalid', async () => {
  const bob = await berth.join(admin.accessToken, 'bob@example.org', 'admin')
  const bobInvitation = await invite({ email: 'his@example.org', rol: 'admin' }, bob.accessToken)
  const adaInvitation = await invite({ email: 'hers@example.org' })
  const demoted = { id: bob.account.id, email: null, password: null, rol: 'user' }
  await berth.call('auth.updateByAdmin', demoted, admin.accessToken)
  await refusedUse(bobInvitation, berth.installationToken)
  await refusedUse(bobInvitation, bobInvitation.token)
  assert.deepEqual(
    (await list()).map(({ id }) => id),
    [adaInvitation.id],
  )
})

test('the invitations of a removed administrator are invalid', async () => {
  const bob = await berth.join(admin.accessToken, 'bob@example.org', 'admin')
  const bobInvitation = await invite({ email: 'his@example.org', rol: 'admin' }, bob.accessToken)
  await berth.call('user.remove', { userId: bob.account.id }, admin.accessToken)
  await refusedUse(bobInvitation, berth.installationToken)
  await refusedUse(bobInvitation, bobInvitation.token)
  assert.deepEqual(await list(), [])
})

test('limits guesses at one invitation temporarily, without delaying other networks', async () => {
  const [one, another] = [await invite(), await invite({ email: 'another@example.org' })]
  const guess = { id: one.id, token: 'berth_invt_guess', password }
  const right = { ...guess, token: one.token }
  for (let i = 0; i < 10; i++) await berth.refused('UNAUTHORIZED', 'auth.createUser', guess, berth.installationToken)
  const limited = await berth.refused('TOO_MANY_REQUESTS', 'auth.createUser', right, berth.installationToken)
  assert.equal(limited.retryAfter, '1')
  await use(another)
  berth.pass(second)
  await berth.refused('UNAUTHORIZED', 'auth.createUser', guess, berth.installationToken)
  assert.equal(await berth.callFrom('127.0.0.1', 'auth.createUser', right, berth.installationToken), 429)
  assert.equal(await berth.callFrom('198.51.100.99', 'auth.createUser', right, berth.installationToken), 200)
})

test('guesses by others do not delay the invited person', async () => {
  const one = await invite()
  const guess = { id: one.id, token: 'berth_invt_guess', password }
  for (let i = 0; i < 11; i++) await refusalOf(berth.call('auth.createUser', guess, berth.installationToken))
  await berth.call('auth.createUser', { ...guess, token: one.token }, one.token)
})

test('limits guesses at many invitations by the address, whether or not they exist', async () => {
  const guesses = Array.from({ length: 101 }, (_, i) => refusalOf(use({ id: `id${i}`, token: 'x' }, admin.accessToken)))
  const codes = (await Promise.all(guesses)).map(({ code, retryAfter }) => [code, retryAfter].join(' '))
  assert.deepEqual([...new Set(codes)].sort(), ['TOO_MANY_REQUESTS 1', 'UNAUTHORIZED '])
  assert.equal(codes.filter((code) => code.startsWith('TOO_MANY')).length, 1)
  const one = await invite()
  const right = { id: one.id, token: one.token, password }
  await berth.refused('TOO_MANY_REQUESTS', 'auth.createUser', right, admin.accessToken)
  assert.equal(await berth.callFrom('198.51.100.7', 'auth.createUser', right, one.token), 200)
})

test('invitations survive a restart', async () => {
  const one = await invite()
  await berth.restart()
  assert.equal((await use(one)).account.email, 'bob@example.org')
})
