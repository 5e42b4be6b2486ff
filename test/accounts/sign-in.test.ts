/** auth.signIn: the only operation without a token. It has the limits and the refusals of auth.login. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { operations } from '../../src/operations.ts'
import {
  type Berth,
  day,
  type Factor,
  factsOf,
  minute,
  refusalOf,
  second,
  type Session,
  startAuth,
} from './auth-fixture.ts'

let berth: Berth
let admin: Session
beforeEach(async () => {
  berth = await startAuth()
  admin = await berth.createAdmin()
})
afterEach(() => berth.close())

const wrong = { password: 'wrong horse battery staple' }
const eve = { email: 'eve@example.org' }
const unmatchableHash = '$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
const sessions = async () => (await berth.rows('token')).filter(({ kind }) => kind === 'session').length

async function turnOnSecondFactor(): Promise<Factor> {
  const factor = await berth.turnOn(admin.accessToken)
  berth.pass(minute)
  return factor
}

test('auth.signIn is the only operation that needs no token', () => {
  assert.deepEqual(
    operations.filter(({ access }) => access === 'anyone').map(({ name }) => name),
    ['auth.signIn'],
  )
})

test('starts a session that can call operations and ends after 30 days', async () => {
  const { accessToken, account, expiresAt } = await berth.signIn({ email: 'ADA@example.org' })
  assert.match(accessToken, /^berth_sess_/)
  assert.deepEqual([account, expiresAt], [admin.account, new Date(berth.now().getTime() + 30 * day).toISOString()])
  assert.equal((await berth.call('auth.get', {}, accessToken)).id, admin.account.id)
})

test('ignores a bearer, also one that is invalid or belongs to another account', async () => {
  const bob = await berth.join(admin.accessToken, 'bob@example.org')
  for (const bearer of [bob.accessToken, 'berth_sess_unknown', '']) {
    const answer = await berth.signInFrom('127.0.0.1', {}, { authorization: `Bearer ${bearer}` })
    assert.deepEqual([answer.statusCode, answer.json().account.id], [200, admin.account.id], bearer)
  }
})

test('refuses before the first account exists, and names the way to create it', async () => {
  await using empty = await startAuth()
  const { code, message } = await refusalOf(empty.signIn())
  assert.equal(code, 'PRECONDITION_FAILED')
  assert.match(message, /auth\.createAdmin/)
})

test('neither the answer nor the limit reveals whether an e-mail has an account', async () => {
  for (let i = 0; i < 11; i++) {
    const [known, unknown] = [await refusalOf(berth.signIn(wrong)), await refusalOf(berth.signIn(eve))]
    assert.deepEqual([...factsOf(known), known.retryAfter], [...factsOf(unknown), unknown.retryAfter])
    assert.equal(known.code, i < 10 ? 'UNAUTHORIZED' : 'TOO_MANY_REQUESTS')
  }
})

test('a limited caller cannot sign in with the right password until the wait is over', async () => {
  for (let i = 0; i < 10; i++) assert.equal((await berth.signInFrom('198.51.100.1', wrong)).statusCode, 401)
  assert.equal((await berth.signInFrom('198.51.100.1')).statusCode, 429)
  assert.equal((await berth.signInFrom('198.51.100.2')).statusCode, 200, 'another network is not limited')
  berth.pass(second)
  assert.equal((await berth.signInFrom('198.51.100.1')).statusCode, 200)
})

test('of 50 concurrent wrong passwords ten are verified and the others are limited', async () => {
  const refusals = await Promise.all(Array.from({ length: 50 }, () => refusalOf(berth.signIn(wrong))))
  assert.equal(refusals.filter(({ code }) => code === 'UNAUTHORIZED').length, 10)
  assert.equal(refusals.filter(({ code }) => code === 'TOO_MANY_REQUESTS').length, 40)
})

test('a right password forgets failed attempts of the caller', async () => {
  for (let i = 0; i < 9; i++) await refusalOf(berth.signIn(wrong))
  await berth.signIn()
  assert.equal((await refusalOf(berth.signIn(wrong))).code, 'UNAUTHORIZED')
  await berth.signIn()
})

test('a password that changes during its verification starts no session', async () => {
  berth.changeHashDuringVerification(unmatchableHash)
  assert.equal((await refusalOf(berth.signIn())).code, 'UNAUTHORIZED')
  assert.equal(await sessions(), 1)
})

test('an account with a second factor needs a code, and a code is valid once', async () => {
  const { secret } = await turnOnSecondFactor()
  const missing = await refusalOf(berth.signIn())
  assert.deepEqual([missing.code, missing.issues.map(({ path }) => path)], ['UNAUTHORIZED', ['code']])
  assert.equal(await sessions(), 1)
  const code = berth.codeOf(secret)
  const { accessToken } = await berth.signIn({ code })
  const [own] = await berth
    .call<{ isCurrent: boolean; passed2FA: boolean }[] & { id: string }>('auth.sessions', {}, accessToken)
    .then((all) => (all as { isCurrent: boolean; passed2FA: boolean }[]).filter(({ isCurrent }) => isCurrent))
  assert.equal(own?.passed2FA, true)
  assert.deepEqual((await refusalOf(berth.signIn({ code }))).issues, [])
})

test('accepts a recovery code once', async () => {
  const { recoveryCodes } = await turnOnSecondFactor()
  await berth.signIn({ code: recoveryCodes[0] })
  assert.equal((await refusalOf(berth.signIn({ code: recoveryCodes[0] }))).code, 'UNAUTHORIZED')
})

test('wrong codes are limited together with those of auth.verifyLogin2FA', async () => {
  const { secret } = await turnOnSecondFactor()
  const code = berth.codeOf(secret, 100)
  for (let i = 0; i < 5; i++) assert.equal((await refusalOf(berth.signIn({ code }))).code, 'UNAUTHORIZED')
  assert.equal((await refusalOf(berth.signIn({ code: berth.codeOf(secret) }))).code, 'TOO_MANY_REQUESTS')
  const challenge = (await berth.login()) as unknown as { id: string; challengeToken: string }
  const input = { id: challenge.id, pin: berth.codeOf(secret) }
  const { code: refusal } = await refusalOf(berth.call('auth.verifyLogin2FA', input, challenge.challengeToken))
  assert.equal(refusal, 'TOO_MANY_REQUESTS')
})

test('a wrong password with a right code is refused as a wrong password and uses no code', async () => {
  const { secret } = await turnOnSecondFactor()
  const code = berth.codeOf(secret)
  assert.deepEqual(
    factsOf(await refusalOf(berth.signIn({ ...wrong, code }))),
    factsOf(await refusalOf(berth.signIn({ ...eve, code }))),
  )
  await berth.signIn({ code })
})

test('a code for an account without a second factor is not needed and not refused', async () => {
  await berth.signIn({ code: '123456' })
})

test('the audit log has the sign-in, and the refused one with its e-mail', async () => {
  await berth.signIn()
  await refusalOf(berth.signIn({ email: 'eve@example.org' }))
  const entries = (await berth.rows('audit')).filter(({ operation }) => operation === 'auth.signIn')
  assert.deepEqual(
    entries.map(({ kind, record, result }) => [kind, record, result]),
    [
      ['none', admin.account.id, 'OK'],
      ['none', 'eve@example.org', 'UNAUTHORIZED'],
    ],
  )
  assert.ok(!JSON.stringify(await berth.rows('audit')).includes('correct horse'))
})

test('takes no Idempotency-Key: a repeated call is verified again', async () => {
  const headers = { 'idempotency-key': 'same' }
  assert.equal((await berth.signInFrom('127.0.0.1', {}, headers)).statusCode, 200)
  assert.equal((await berth.signInFrom('127.0.0.1', wrong, headers)).statusCode, 401)
  assert.deepEqual(await berth.rows('idempotency'), [])
})
