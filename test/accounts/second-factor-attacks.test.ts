/** Attacks on the second factor: each must fail, and the owner must still be able to sign in. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import {
  type Berth,
  factsOf,
  type Factor,
  minute,
  password,
  refusalOf,
  type Refused,
  second,
  type Session,
  startAuth,
} from './auth-fixture.ts'

let berth: Berth
let ada: Session
let adaFactor: Factor
beforeEach(async () => {
  berth = await startAuth()
  ada = await berth.createAdmin()
  adaFactor = await berth.turnOn(ada.accessToken)
  berth.pass(minute)
})
afterEach(() => berth.close())

interface Challenge {
  id: string
  challengeToken: string
}

const challenge = (overrides = {}) => berth.login(overrides) as Promise<unknown> as Promise<Challenge>
const verify = (pin: string, { id, challengeToken }: Challenge) =>
  berth.call<Session>('auth.verifyLogin2FA', { pin, id }, challengeToken)
const refused = (pin: string, { id, challengeToken }: Challenge) =>
  berth.refused('UNAUTHORIZED', 'auth.verifyLogin2FA', { pin, id }, challengeToken)
/** The sorted outcomes of concurrent calls: the error code of a refused call, and `in` for a successful one. */
const outcomesOf = async (calls: Promise<unknown>[]) =>
  (
    await Promise.all(
      calls.map((call) =>
        call.then(
          () => 'in',
          ({ code }: Refused) => code,
        ),
      ),
    )
  ).toSorted()
/** Six digits that are not a valid code now. */
const wrongPin = () => {
  const right = [-1, 0, 1].map((by) => berth.codeOf(adaFactor.secret, by))
  return ['000000', '000001', '000002', '000003'].find((pin) => !right.includes(pin))!
}
const isLimited = async () => {
  const { id, challengeToken } = await challenge()
  const right = { pin: berth.codeOf(adaFactor.secret), id }
  return berth.refused('TOO_MANY_REQUESTS', 'auth.verifyLogin2FA', right, challengeToken)
}

test('a code is valid once, and earlier codes are invalid after it', async () => {
  const [before, code] = [berth.codeOf(adaFactor.secret, -1), berth.codeOf(adaFactor.secret)]
  await verify(code, await challenge())
  const again = await challenge()
  for (const pin of [code, before]) await refused(pin, again)
  berth.pass(30 * second)
  await refused(code, again)
  await verify(berth.codeOf(adaFactor.secret), again)
})

test('the code of the setup is invalid at login', async () => {
  await berth.call('auth.disable2FA', {}, ada.accessToken)
  const { secret } = (await berth.call('auth.generate2FASecret', {}, ada.accessToken)) as unknown as Factor
  const pin = berth.codeOf(secret)
  await berth.call('auth.verify2FASetup', { secret, pin }, ada.accessToken)
  await refused(pin, await challenge())
})

test('only one of several concurrent calls with one code succeeds, on one challenge or two', async () => {
  const outcomes = (pin: string, challenges: Challenge[]) => outcomesOf(challenges.map((each) => verify(pin, each)))
  const one = await challenge()
  const oneOfTwo = ['UNAUTHORIZED', 'in']
  assert.deepEqual(await outcomes(berth.codeOf(adaFactor.secret), [one, one, one]), ['UNAUTHORIZED', ...oneOfTwo])
  assert.deepEqual(await outcomes(berth.codeOf(adaFactor.secret, 1), [await challenge(), await challenge()]), oneOfTwo)
  assert.deepEqual(await outcomes(adaFactor.recoveryCodes[0]!, [await challenge(), await challenge()]), oneOfTwo)
  assert.equal((await berth.rows('token')).filter(({ kind }) => kind === 'session').length, 4)
})

test('two concurrent recovery codes on one challenge use up only one of them', async () => {
  const [one, codes] = [await challenge(), adaFactor.recoveryCodes.slice(0, 2)]
  assert.deepEqual(await outcomesOf(codes.map((code) => verify(code, one))), ['UNAUTHORIZED', 'in'])
  assert.equal((await berth.rows('recoveryCode')).length, 9)
  const other = await challenge()
  assert.deepEqual(await outcomesOf(codes.map((code) => verify(code, other))), ['UNAUTHORIZED', 'in'])
})

test('codes and challenges of one account are invalid for another', async () => {
  const bob = await berth.join(ada.accessToken, 'bob@example.org', 'admin')
  const bobFactor = await berth.turnOn(bob.accessToken)
  const [adaChallenge, bobChallenge] = [await challenge(), await challenge({ email: 'bob@example.org' })]
  for (const pin of [berth.codeOf(bobFactor.secret), bobFactor.recoveryCodes[0]!]) await refused(pin, adaChallenge)
  const right = berth.codeOf(adaFactor.secret)
  const mixed = await refused(right, { ...adaChallenge, id: bobChallenge.id })
  const unknown = await refused(right, { ...adaChallenge, id: 'unknown' })
  assert.deepEqual(factsOf(mixed), factsOf(unknown))
  await refused(right, { ...bobChallenge, id: adaChallenge.id })
  assert.equal((await verify(right, adaChallenge)).account.id, ada.account.id, 'the refused calls used up nothing')
  assert.equal((await verify(bobFactor.recoveryCodes[0]!, bobChallenge)).account.id, bob.account.id)
})

test('an account id and a code without a password are refused', async () => {
  const input = { pin: berth.codeOf(adaFactor.secret), id: ada.account.id }
  const { token } = await berth.call('auth.generateToken', {}, ada.accessToken)
  for (const as of [berth.installationToken, ada.accessToken, token]) {
    await berth.refused('FORBIDDEN', 'auth.verifyLogin2FA', input, as)
  }
  for (const as of ['', ada.account.id, 'berth_2fa_guess']) {
    await berth.refused('UNAUTHORIZED', 'auth.verifyLogin2FA', input, as)
  }
})

test('a wrong password gets no challenge', async () => {
  const { message } = await berth.refused(
    'UNAUTHORIZED',
    'auth.login',
    { email: 'ada@example.org', password: 'wrong password' },
    berth.installationToken,
  )
  assert.equal(message, 'Wrong e-mail or password')
})

test('a challenge accepts five codes and refuses the sixth, even a correct one', async () => {
  const one = await challenge()
  for (let i = 0; i < 5; i++) await refused(wrongPin(), one)
  berth.pass(second)
  await refused(berth.codeOf(adaFactor.secret), one)
  await verify(berth.codeOf(adaFactor.secret), await challenge())
})

test('concurrent codes on one challenge cannot exceed five attempts', async () => {
  const one = await challenge()
  const ended = await Promise.all(Array.from({ length: 20 }, () => refusalOf(verify(wrongPin(), one))))
  assert.equal(ended.filter(({ code }) => code === 'UNAUTHORIZED').length, 5)
  assert.equal(ended.filter(({ code }) => code === 'TOO_MANY_REQUESTS').length, 15)
})

test('a challenge ends after 5 minutes', async () => {
  const [one, other] = [await challenge(), await challenge()]
  berth.pass(5 * minute - 1)
  await verify(berth.codeOf(adaFactor.secret), one)
  berth.pass(1)
  await refused(berth.codeOf(adaFactor.secret, 1), other)
  await refused(adaFactor.recoveryCodes[0]!, other)
})

test('a recovery code is valid once', async () => {
  const [code, other] = adaFactor.recoveryCodes as [string, string]
  assert.equal((await verify(code, await challenge())).account.id, ada.account.id)
  assert.equal((await berth.rows('recoveryCode')).length, 9)
  const again = await challenge()
  await refused(code, again)
  await verify(other, again)
})

test('accepts a recovery code with other case and separators, and refuses one with a wrong character', async () => {
  const [one, two, three, four] = adaFactor.recoveryCodes as [string, string, string, string]
  const typed = [
    one.toUpperCase(),
    two.replaceAll('-', ' '),
    three.replaceAll('-', ''),
    ` ${four.replaceAll('0', 'O').replaceAll('1', 'l')}\n`,
  ]
  for (const pin of typed) await verify(pin, await challenge())
  const five = adaFactor.recoveryCodes[4]!
  const wrong = [
    five.slice(1),
    `${five}0`,
    five.replace(/^./, (it) => (it === 'a' ? 'b' : 'a')),
    '%'.repeat(16),
    '_'.repeat(16),
  ]
  const again = await challenge()
  for (const pin of wrong) await refused(pin, again)
})

test('limits guesses over many challenges and networks, except on networks of the owner', async () => {
  const from = async (address: string, pin: string) => {
    const { id, challengeToken } = await challenge()
    return berth.callFrom(address, 'auth.verifyLogin2FA', { pin, id }, challengeToken)
  }
  for (let i = 0; i < 5; i++) assert.equal(await from(`198.51.100.${i}`, wrongPin()), 401)
  assert.equal(await from('198.51.100.9', berth.codeOf(adaFactor.secret)), 429)
  await berth.restart()
  assert.equal(await from('198.51.100.9', berth.codeOf(adaFactor.secret)), 429)
  assert.equal(await from('127.0.0.1', berth.codeOf(adaFactor.secret)), 200, 'a known network')
  assert.equal(await from('198.51.100.9', adaFactor.recoveryCodes[0]!), 200, 'a recovery code cannot be guessed')
  assert.equal(
    await from('198.51.100.9', berth.codeOf(adaFactor.secret, 1)),
    200,
    'the recovery code made the network known',
  )
})

test('limits guesses over many challenges', async () => {
  for (let i = 0; i < 5; i++) await refused(wrongPin(), await challenge())
  assert.equal((await isLimited()).retryAfter, '1')
  await berth.restart()
  await isLimited()
})

test('waits for codes double up to a quarter of an hour, and a caller who waits can sign in', async () => {
  const waits: number[] = []
  for (let i = 0; i < 17; i++) {
    const { id, challengeToken } = await challenge()
    const refusal = await refusalOf(verify(wrongPin(), { id, challengeToken }))
    assert.equal(refusal.code, 'UNAUTHORIZED', 'an attempt after the wait is accepted')
    if (i < 4) continue
    const seconds = Number((await isLimited()).retryAfter)
    waits.push(seconds)
    berth.pass(seconds * second)
  }
  assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900])
  await verify(berth.codeOf(adaFactor.secret), await challenge())
  assert.equal((await berth.rows('attempt')).length, 1, 'only the counter of the address remains')
})

test('an attack on one account does not affect others', async () => {
  const bob = await berth.join(ada.accessToken, 'bob@example.org')
  const bobFactor = await berth.turnOn(bob.accessToken)
  for (let i = 0; i < 5; i++) await refused(wrongPin(), await challenge())
  await isLimited()
  await verify(berth.codeOf(bobFactor.secret), await challenge({ email: 'bob@example.org' }))
})

test('no code is valid for an account without a secret', async () => {
  await berth.change((tx) => tx.updateTable('account').set({ secret: null }).execute())
  const one = await challenge()
  for (const pin of [berth.codeOf('A'), berth.codeOf(adaFactor.secret), adaFactor.recoveryCodes[0]!])
    await refused(pin, one)
})

test('a sealed secret copied from another account cannot be opened', async () => {
  const bob = await berth.join(ada.accessToken, 'bob@example.org')
  const bobFactor = await berth.turnOn(bob.accessToken)
  const row = (await berth.rows('account')).find(({ id }) => id === bob.account.id)!
  await berth.change((tx) =>
    tx
      .updateTable('account')
      .set({ secret: row.secret as string })
      .where('id', '=', ada.account.id)
      .execute(),
  )
  const { id, challengeToken } = await challenge()
  const input = { pin: berth.codeOf(bobFactor.secret, 1), id }
  await berth.refused('INTERNAL_SERVER_ERROR', 'auth.verifyLogin2FA', input, challengeToken)
})

test('a new password ends a pending sign-in', async () => {
  const one = await challenge()
  await berth.call('auth.update', { email: null, password: `${password} 2` }, ada.accessToken)
  await refused(berth.codeOf(adaFactor.secret), one)
})
