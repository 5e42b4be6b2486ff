/** What went wrong in systems that do this job, and what an attacker tries: each must fail here. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { nobodysHash } from '../../src/lib/crypto/password.ts'
import { type Berth, day, factsOf, minute, password, refusalOf, second, startAuth } from './auth-fixture.ts'

let berth: Berth
let admin: string
beforeEach(async () => {
  berth = await startAuth()
  admin = (await berth.createAdmin()).accessToken
})
afterEach(() => berth.close())

const eve = { email: 'eve@example.org', password: 'a password of hers' }
const wrong = { password: 'wrong password' }

test('createAdmin was open after the first', async () => {
  const before = await berth.everything()
  for (const bearer of [berth.installationToken, admin]) {
    const refusal = await refusalOf(berth.call('auth.createAdmin', eve, bearer))
    assert.deepEqual(factsOf(refusal), ['CONFLICT', 'There is an administrator already. Sign in with auth.login'])
  }
  assert.deepEqual(await berth.everything(), before)
})

test('two createAdmin at once: exactly one wins', async () => {
  await using fresh = await startAuth()
  const calls = Array.from({ length: 8 }, (_, i) => fresh.createAdmin({ email: `admin${i}@example.org` }))
  const ended = await Promise.allSettled(calls)
  assert.equal(ended.filter(({ status }) => status === 'fulfilled').length, 1)
  for (const end of ended) if (end.status === 'rejected') assert.equal(end.reason.code, 'CONFLICT')
  assert.equal((await fresh.rows('account')).length, 1)
  assert.equal((await fresh.rows('token')).length, 1)
})

test('generateToken answered the old token', async () => {
  const { token: old } = await berth.call('auth.generateToken', {}, admin)
  const { token } = await berth.call('auth.generateToken', {}, admin)
  assert.notEqual(token, old)
  assert.equal((await refusalOf(berth.call('auth.get', {}, old))).code, 'UNAUTHORIZED')
  assert.equal((await berth.call('auth.get', {}, token)).email, 'Ada@Example.org')
  assert.equal((await berth.rows('token')).filter(({ kind }) => kind === 'api').length, 1)
})

test('generateToken at once: one token is left, and it is good', async () => {
  const answers = await Promise.all(Array.from({ length: 5 }, () => berth.call('auth.generateToken', {}, admin)))
  const ended = await Promise.allSettled(answers.map(({ token }) => berth.call('auth.get', {}, token)))
  assert.equal(ended.filter(({ status }) => status === 'fulfilled').length, 1)
})

test('logout left the bearer token good', async () => {
  await berth.call('auth.logout', {}, admin)
  for (const name of berth.names) {
    assert.equal((await refusalOf(berth.call(name, eve, admin))).code, 'UNAUTHORIZED', name)
  }
})

test('a session of a day used as a bearer became one of a year: none lives beyond 30 days', async () => {
  for (let i = 0; i < 9; i++) {
    berth.pass(3 * day)
    await berth.call('auth.get', {}, admin)
  }
  berth.pass(3 * day - 1)
  await berth.call('auth.get', {}, admin)
  berth.pass(1)
  assert.equal((await refusalOf(berth.call('auth.get', {}, admin))).code, 'UNAUTHORIZED')
})

test('whether an e-mail exists is not told: by the answer, its words or its limit', async () => {
  for (let i = 0; i < 10; i++) {
    const [known, unknown] = [await refusalOf(berth.login(wrong)), await refusalOf(berth.login(eve))]
    assert.deepEqual(factsOf(known), factsOf(unknown))
    assert.equal(known.code, 'UNAUTHORIZED')
  }
  const [known, unknown] = [await refusalOf(berth.login(wrong)), await refusalOf(berth.login(eve))]
  assert.deepEqual([...factsOf(known), known.retryAfter], [...factsOf(unknown), unknown.retryAfter])
  assert.equal(known.code, 'TOO_MANY_REQUESTS')
})

test('50 wrong logins at once: ten are checked, the others come back later', async () => {
  const refusals = await Promise.all(Array.from({ length: 50 }, () => refusalOf(berth.login(wrong))))
  const limited = refusals.filter(({ code }) => code === 'TOO_MANY_REQUESTS')
  assert.equal(limited.length, 40)
  assert.equal(refusals.filter(({ code }) => code === 'UNAUTHORIZED').length, 10)
  for (const { status, retryAfter, message } of limited) {
    assert.deepEqual([status, retryAfter, message], [429, '1', 'Too many tries have failed. Try again in 1 second'])
  }
})

test('a limited account does not tell that the password was right, and is not locked for good', async () => {
  for (let i = 0; i < 10; i++) await refusalOf(berth.login(wrong))
  const before = await berth.everything()
  assert.deepEqual(factsOf(await refusalOf(berth.login())), factsOf(await refusalOf(berth.login(wrong))))
  assert.deepEqual(await berth.everything(), before)
  berth.pass(second)
  await berth.login()
})

test('a holder of a token kept the administrator out: wrong passwords from elsewhere delay nobody', async () => {
  const attacked = async (times: number, from: (i: number) => string) => {
    for (let i = 0; i < times; i++) assert.equal((await berth.loginFrom(from(i), wrong)).statusCode, 401, `${i}`)
  }
  await attacked(10, () => '198.51.100.1')
  assert.equal((await berth.loginFrom('198.51.100.1')).statusCode, 429)
  for (const elsewhere of ['198.51.100.2', '2001:db8::1', '127.0.0.1']) {
    assert.equal((await berth.loginFrom(elsewhere)).statusCode, 200, elsewhere)
  }
  assert.equal((await berth.loginFrom('198.51.100.1')).statusCode, 429, 'which forgets nothing of the attacker')
})

test('behind a proxy all have one address: wrong passwords by one token delay no other token', async () => {
  const { accessToken: eves } = await berth.join(admin, eve.email)
  const { token } = await berth.call('auth.generateToken', {}, eves)
  for (let i = 0; i < 10; i++) {
    const as = i % 2 === 0 ? eves : token
    assert.equal((await berth.loginFrom('127.0.0.1', wrong, as)).statusCode, 401)
  }
  for (const as of [eves, token]) assert.equal((await berth.loginFrom('127.0.0.1', {}, as)).statusCode, 429)
  for (const as of [admin, berth.installationToken]) {
    assert.equal((await berth.loginFrom('127.0.0.1', {}, as)).statusCode, 200)
  }
})

test('a guess from a hundred networks is slowed for all others but those that are known', async () => {
  for (let i = 0; i < 100; i++) assert.equal((await berth.loginFrom(`198.51.100.${i}`, wrong)).statusCode, 401)
  const { statusCode, headers } = await berth.loginFrom('198.51.100.200')
  assert.deepEqual([statusCode, headers['retry-after']], [429, '1'])
  assert.equal((await berth.loginFrom('127.0.0.1')).statusCode, 200, 'where she made the account')
  for (let i = 0; i < 20; i++) {
    berth.pass(10 * second)
    await berth.loginFrom(`198.51.101.${i}`, wrong)
  }
  const longest = await berth.loginFrom('198.51.100.200')
  assert.deepEqual([longest.statusCode, longest.headers['retry-after']], [429, '10'])
  berth.pass(10 * second)
  assert.equal((await berth.loginFrom('198.51.100.200')).statusCode, 200)
})

test('whether an e-mail exists is not told by the limits of networks, known ones or others', async () => {
  const statusesOf = async (email: string) => {
    const statuses: number[] = []
    for (let i = 0; i < 110; i++) {
      statuses.push((await berth.loginFrom(`198.51.100.${i}`, { ...wrong, email })).statusCode)
    }
    for (const from of ['198.51.100.1', '127.0.0.1']) {
      for (let i = 0; i < 12; i++) statuses.push((await berth.loginFrom(from, { ...wrong, email })).statusCode)
    }
    return statuses
  }
  assert.deepEqual(await statusesOf('ada@example.org'), await statusesOf('nobody@example.org'))
})

test('other cases of an e-mail are not other tries', async () => {
  for (let i = 0; i < 5; i++) {
    for (const email of ['ADA@example.org', 'ada@EXAMPLE.org']) await refusalOf(berth.login({ ...wrong, email }))
  }
  assert.equal((await refusalOf(berth.login(wrong))).code, 'TOO_MANY_REQUESTS')
})

test('the limit of one account leaves the others alone', async () => {
  for (let i = 0; i < 11; i++) await refusalOf(berth.login(eve))
  await berth.login()
})

test('one password tried at many accounts is limited by the address', async () => {
  const emails = Array.from({ length: 101 }, (_, i) => `user${i}@example.org`)
  const refusals = await Promise.all(emails.map((email) => refusalOf(berth.login({ ...wrong, email }))))
  assert.equal(refusals.filter(({ code }) => code === 'TOO_MANY_REQUESTS').length, 1)
  assert.equal((await refusalOf(berth.login())).code, 'TOO_MANY_REQUESTS')
  assert.equal((await berth.loginFrom('198.51.100.7')).statusCode, 200)
})

test('createAdmin is limited by the address', async () => {
  await using fresh = await startAuth()
  for (let i = 0; i < 100; i++) await refusalOf(fresh.login({ ...wrong, email: `user${i}@example.org` }))
  assert.equal((await refusalOf(fresh.createAdmin())).code, 'TOO_MANY_REQUESTS')
  assert.deepEqual(await fresh.rows('account'), [])
  fresh.pass(second)
  await fresh.createAdmin()
})

test('the limit outlives a restart', async () => {
  for (let i = 0; i < 10; i++) await refusalOf(berth.login(wrong))
  await berth.restart()
  assert.equal((await refusalOf(berth.login())).code, 'TOO_MANY_REQUESTS')
})

test('sessions and API tokens outlive a restart', async () => {
  const { token } = await berth.call('auth.generateToken', {}, admin)
  await berth.restart()
  for (const bearer of [admin, token]) assert.equal((await berth.call('auth.get', {}, bearer)).email, 'Ada@Example.org')
})

test('the installation token opens nothing but the entry operations', async () => {
  const before = await berth.everything()
  const entries = ['auth.createAdmin', 'auth.login', 'auth.createUser']
  for (const name of berth.names.filter((each) => !entries.includes(each))) {
    assert.equal((await refusalOf(berth.call(name, {}, berth.installationToken))).code, 'FORBIDDEN', name)
  }
  assert.deepEqual(await berth.everything(), before)
})

test('an ended session opens login alone, and not once it was revoked', async () => {
  const { accessToken: revoked } = await berth.login()
  await berth.call('auth.logout', {}, revoked)
  berth.pass(7 * day + 10 * minute)
  assert.equal((await refusalOf(berth.call('auth.createAdmin', eve, admin))).code, 'UNAUTHORIZED')
  assert.equal((await refusalOf(berth.call('auth.login', eve, revoked))).code, 'UNAUTHORIZED')
})

test('a password changed while it is checked gives no session', async () => {
  const login = berth.login()
  // The try is counted before the check, so that its row says that the check has begun.
  const most = Date.now() + 30_000
  while ((await berth.rows('attempt')).length === 0) {
    assert.ok(Date.now() < most, 'no try was counted')
    await new Promise(setImmediate)
  }
  await berth.setPasswordHash(nobodysHash)
  assert.equal((await refusalOf(login)).code, 'UNAUTHORIZED')
  assert.equal((await berth.rows('token')).length, 1)
})

test('no password and no token lies in the store in clear', async () => {
  const { token } = await berth.call('auth.generateToken', {}, admin)
  await refusalOf(berth.login(wrong))
  const files = readdirSync(berth.folder).filter((name) => name.startsWith('berth.db'))
  assert.ok(files.includes('berth.db-wal'))
  const bytes = Buffer.concat(files.map((name) => readFileSync(join(berth.folder, name))))
  assert.ok(bytes.includes('Ada@Example.org'), 'the search finds what is there')
  for (const secret of [password, wrong.password, admin, token, berth.installationToken]) {
    const random = secret.replace(/^berth_[a-z]+_/, '')
    assert.ok(!bytes.includes(random))
    assert.ok(!berth.logged().includes(random), 'nor in the log')
  }
})
