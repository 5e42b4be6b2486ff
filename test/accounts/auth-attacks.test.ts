/** Attacks on signing in, and vulnerabilities of similar systems: each must fail here. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { unmatchableHash } from '../../src/lib/crypto/password.ts'
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

test('createAdmin refuses a second administrator', async () => {
  const before = await berth.everything()
  for (const bearer of [berth.installationToken, admin]) {
    const refusal = await refusalOf(berth.call('auth.createAdmin', eve, bearer))
    assert.deepEqual(factsOf(refusal), ['CONFLICT', 'An administrator exists already. Sign in with auth.login'])
  }
  assert.deepEqual(await berth.everything(), before)
})

test('exactly one of two concurrent createAdmin calls succeeds', async () => {
  await using fresh = await startAuth()
  const calls = Array.from({ length: 8 }, (_, i) => fresh.createAdmin({ email: `admin${i}@example.org` }))
  const ended = await Promise.allSettled(calls)
  assert.equal(ended.filter(({ status }) => status === 'fulfilled').length, 1)
  for (const end of ended) if (end.status === 'rejected') assert.equal(end.reason.code, 'CONFLICT')
  assert.equal((await fresh.rows('account')).length, 1)
  assert.equal((await fresh.rows('token')).length, 1)
})

test('generateToken answers a new token', async () => {
  const { token: old } = await berth.call('auth.generateToken', {}, admin)
  const { token } = await berth.call('auth.generateToken', {}, admin)
  assert.notEqual(token, old)
  assert.equal((await refusalOf(berth.call('auth.get', {}, old))).code, 'UNAUTHORIZED')
  assert.equal((await berth.call('auth.get', {}, token)).email, 'Ada@Example.org')
  assert.equal((await berth.rows('token')).filter(({ kind }) => kind === 'api').length, 1)
})

test('concurrent generateToken calls leave one valid token', async () => {
  const answers = await Promise.all(Array.from({ length: 5 }, () => berth.call('auth.generateToken', {}, admin)))
  const ended = await Promise.allSettled(answers.map(({ token }) => berth.call('auth.get', {}, token)))
  assert.equal(ended.filter(({ status }) => status === 'fulfilled').length, 1)
})

test('logout revokes the bearer token', async () => {
  await berth.call('auth.logout', {}, admin)
  for (const name of berth.names) {
    assert.equal((await refusalOf(berth.call(name, eve, admin))).code, 'UNAUTHORIZED', name)
  }
})

test('no session lives longer than 30 days, however often it signs in again', async () => {
  for (let i = 0; i < 9; i++) {
    berth.pass(3 * day)
    await berth.call('auth.get', {}, admin)
  }
  berth.pass(3 * day - 1)
  await berth.call('auth.get', {}, admin)
  berth.pass(1)
  assert.equal((await refusalOf(berth.call('auth.get', {}, admin))).code, 'UNAUTHORIZED')
})

test('neither the answer nor the limit reveals whether an e-mail has an account', async () => {
  for (let i = 0; i < 10; i++) {
    const [known, unknown] = [await refusalOf(berth.login(wrong)), await refusalOf(berth.login(eve))]
    assert.deepEqual(factsOf(known), factsOf(unknown))
    assert.equal(known.code, 'UNAUTHORIZED')
  }
  const [known, unknown] = [await refusalOf(berth.login(wrong)), await refusalOf(berth.login(eve))]
  assert.deepEqual([...factsOf(known), known.retryAfter], [...factsOf(unknown), unknown.retryAfter])
  assert.equal(known.code, 'TOO_MANY_REQUESTS')
})

test('of 50 concurrent wrong logins ten are verified and the others are limited', async () => {
  const refusals = await Promise.all(Array.from({ length: 50 }, () => refusalOf(berth.login(wrong))))
  const limited = refusals.filter(({ code }) => code === 'TOO_MANY_REQUESTS')
  assert.equal(limited.length, 40)
  assert.equal(refusals.filter(({ code }) => code === 'UNAUTHORIZED').length, 10)
  for (const { status, retryAfter, message } of limited) {
    assert.deepEqual([status, retryAfter, message], [429, '1', 'Too many failed attempts. Try again in 1 second'])
  }
})

test('a limited account does not reveal a correct password and is not locked permanently', async () => {
  for (let i = 0; i < 10; i++) await refusalOf(berth.login(wrong))
  const before = await berth.everything()
  assert.deepEqual(factsOf(await refusalOf(berth.login())), factsOf(await refusalOf(berth.login(wrong))))
  assert.deepEqual(await berth.everything(), before)
  berth.pass(second)
  await berth.login()
})

test('wrong passwords from another network do not delay the administrator', async () => {
  const attacked = async (times: number, from: (i: number) => string) => {
    for (let i = 0; i < times; i++) assert.equal((await berth.loginFrom(from(i), wrong)).statusCode, 401, `${i}`)
  }
  await attacked(10, () => '198.51.100.1')
  assert.equal((await berth.loginFrom('198.51.100.1')).statusCode, 429)
  for (const other of ['198.51.100.2', '2001:db8::1', '127.0.0.1']) {
    assert.equal((await berth.loginFrom(other)).statusCode, 200, other)
  }
  assert.equal((await berth.loginFrom('198.51.100.1')).statusCode, 429, 'the attacker is still limited')
})

test('wrong passwords with one token do not delay other tokens at the same address', async () => {
  const { accessToken: eveToken } = await berth.join(admin, eve.email)
  const { token } = await berth.call('auth.generateToken', {}, eveToken)
  for (let i = 0; i < 10; i++) {
    const as = i % 2 === 0 ? eveToken : token
    assert.equal((await berth.loginFrom('127.0.0.1', wrong, as)).statusCode, 401)
  }
  for (const as of [eveToken, token]) assert.equal((await berth.loginFrom('127.0.0.1', {}, as)).statusCode, 429)
  for (const as of [admin, berth.installationToken]) {
    assert.equal((await berth.loginFrom('127.0.0.1', {}, as)).statusCode, 200)
  }
})

test('guesses from a hundred networks delay unknown networks, not known ones', async () => {
  for (let i = 0; i < 100; i++) assert.equal((await berth.loginFrom(`198.51.100.${i}`, wrong)).statusCode, 401)
  const { statusCode, headers } = await berth.loginFrom('198.51.100.200')
  assert.deepEqual([statusCode, headers['retry-after']], [429, '1'])
  assert.equal((await berth.loginFrom('127.0.0.1')).statusCode, 200, 'a known network')
  for (let i = 0; i < 20; i++) {
    berth.pass(10 * second)
    await berth.loginFrom(`198.51.101.${i}`, wrong)
  }
  const longest = await berth.loginFrom('198.51.100.200')
  assert.deepEqual([longest.statusCode, longest.headers['retry-after']], [429, '10'])
  berth.pass(10 * second)
  assert.equal((await berth.loginFrom('198.51.100.200')).statusCode, 200)
})

test('the limits of networks do not reveal whether an e-mail has an account', async () => {
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

test('an e-mail in another case counts as the same account', async () => {
  for (let i = 0; i < 5; i++) {
    for (const email of ['ADA@example.org', 'ada@EXAMPLE.org']) await refusalOf(berth.login({ ...wrong, email }))
  }
  assert.equal((await refusalOf(berth.login(wrong))).code, 'TOO_MANY_REQUESTS')
})

test('the limit of one account does not affect other accounts', async () => {
  for (let i = 0; i < 11; i++) await refusalOf(berth.login(eve))
  await berth.login()
})

test('limits one password tried at many accounts by the address', async () => {
  const emails = Array.from({ length: 101 }, (_, i) => `user${i}@example.org`)
  const refusals = await Promise.all(emails.map((email) => refusalOf(berth.login({ ...wrong, email }))))
  assert.equal(refusals.filter(({ code }) => code === 'TOO_MANY_REQUESTS').length, 1)
  assert.equal((await refusalOf(berth.login())).code, 'TOO_MANY_REQUESTS')
  assert.equal((await berth.loginFrom('198.51.100.7')).statusCode, 200)
})

test('limits createAdmin by the address', async () => {
  await using fresh = await startAuth()
  for (let i = 0; i < 100; i++) await refusalOf(fresh.login({ ...wrong, email: `user${i}@example.org` }))
  assert.equal((await refusalOf(fresh.createAdmin())).code, 'TOO_MANY_REQUESTS')
  assert.deepEqual(await fresh.rows('account'), [])
  fresh.pass(second)
  await fresh.createAdmin()
})

test('limits survive a restart', async () => {
  for (let i = 0; i < 10; i++) await refusalOf(berth.login(wrong))
  await berth.restart()
  assert.equal((await refusalOf(berth.login())).code, 'TOO_MANY_REQUESTS')
})

test('sessions and API tokens survive a restart', async () => {
  const { token } = await berth.call('auth.generateToken', {}, admin)
  await berth.restart()
  for (const bearer of [admin, token]) assert.equal((await berth.call('auth.get', {}, bearer)).email, 'Ada@Example.org')
})

test('the installation token can only call the sign-in operations', async () => {
  const before = await berth.everything()
  const entries = ['auth.createAdmin', 'auth.login', 'auth.createUser']
  for (const name of berth.names.filter((each) => !entries.includes(each))) {
    assert.equal((await refusalOf(berth.call(name, {}, berth.installationToken))).code, 'FORBIDDEN', name)
  }
  assert.deepEqual(await berth.everything(), before)
})

test('an expired session can only call login, and a revoked one nothing', async () => {
  const { accessToken: revoked } = await berth.login()
  await berth.call('auth.logout', {}, revoked)
  berth.pass(7 * day + 10 * minute)
  assert.equal((await refusalOf(berth.call('auth.createAdmin', eve, admin))).code, 'UNAUTHORIZED')
  assert.equal((await refusalOf(berth.call('auth.login', eve, revoked))).code, 'UNAUTHORIZED')
})

test('a password that changes during its verification starts no session', async () => {
  berth.changeHashDuringVerification(unmatchableHash)
  assert.equal((await refusalOf(berth.login())).code, 'UNAUTHORIZED')
  assert.equal((await berth.rows('token')).length, 1)
})

test('the store contains no plain password or token', async () => {
  const { token } = await berth.call('auth.generateToken', {}, admin)
  await refusalOf(berth.login(wrong))
  const files = readdirSync(berth.folder).filter((name) => name.startsWith('berth.db'))
  assert.ok(files.includes('berth.db-wal'))
  const bytes = Buffer.concat(files.map((name) => readFileSync(join(berth.folder, name))))
  assert.ok(bytes.includes('Ada@Example.org'), 'the search finds stored text')
  for (const secret of [password, wrong.password, admin, token, berth.installationToken]) {
    const random = secret.replace(/^berth_[a-z]+_/, '')
    assert.ok(!bytes.includes(random))
    assert.ok(!berth.logged().includes(random), 'the log does not contain it either')
  }
})
