/** The second factor: setup, sign-in, turning it off, and who is permitted to do so. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { decodeQrCode } from '../fixtures/qr-image.ts'
import { type Berth, type Factor, minute, password, second, type Session, startAuth } from './auth-fixture.ts'

let berth: Berth
let ada: Session
beforeEach(async () => {
  berth = await startAuth()
  ada = await berth.createAdmin()
})
afterEach(() => berth.close())

interface Proposal {
  secret: string
  otpauthUrl: string
  qrCode: string
}
interface Challenge {
  twoFactorRequired: true
  id: string
  challengeToken: string
  expiresAt: string
}

const generate = () => berth.call<Proposal>('auth.generate2FASecret', {}, ada.accessToken)
const challenge = () => berth.login() as Promise<unknown> as Promise<Challenge>
const verify = (pin: string, { id, challengeToken }: Challenge) =>
  berth.call<Session>('auth.verifyLogin2FA', { pin, id }, challengeToken)
const isOn = async () => (await berth.call<Session['account']>('auth.get', {}, ada.accessToken)).is2FAEnabled

test('generate2FASecret proposes a secret and stores nothing', async () => {
  const before = await berth.everything()
  const { secret, otpauthUrl } = await generate()
  assert.match(secret, /^[A-Z2-7]{32}$/)
  assert.equal(
    otpauthUrl,
    `otpauth://totp/Berth:Ada%40Example.org?issuer=Berth&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
  )
  assert.notEqual((await generate()).secret, secret)
  assert.deepEqual(await berth.everything(), before)
  assert.ok(!berth.logged().includes(secret))
})

test('the QR code encodes otpauthUrl', async () => {
  const { otpauthUrl, qrCode } = await generate()
  assert.equal(decodeQrCode(qrCode), otpauthUrl)
})

test('verify2FASetup turns the second factor on, answers ten recovery codes and ends other sessions', async () => {
  const { token } = await berth.call('auth.generateToken', {}, ada.accessToken)
  const others = [await berth.login(), await berth.login()]
  const { secret } = await generate()
  const { recoveryCodes, ...account } = await berth.call<Session['account'] & Factor>(
    'auth.verify2FASetup',
    { secret, pin: berth.codeOf(secret) },
    ada.accessToken,
  )
  assert.equal(new Set(recoveryCodes).size, 10)
  for (const code of recoveryCodes) assert.match(code, /^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/)
  assert.deepEqual(account, { ...ada.account, is2FAEnabled: true })
  assert.deepEqual(await berth.call('auth.get', {}, ada.accessToken), account)
  for (const { accessToken } of others) await berth.refused('UNAUTHORIZED', 'auth.get', {}, accessToken)
  assert.equal((await berth.call('auth.get', {}, token)).id, account.id, 'API tokens stay valid')
  const active = await berth.call<Record<string, unknown>[]>('auth.sessions', {}, ada.accessToken)
  assert.deepEqual(
    active.map(({ passed2FA, isCurrent }) => [passed2FA, isCurrent]),
    [[true, true]],
  )
})

test('accepts a secret in lower case with spaces, and a code with a space', async () => {
  const { secret } = await generate()
  const formattedSecret = secret.toLowerCase().replace(/.{4}/g, '$& ').trim()
  await berth.call(
    'auth.verify2FASetup',
    { secret: formattedSecret, pin: berth.codeOf(secret, -1).replace(/^.../, '$& ') },
    ada.accessToken,
  )
  const pin = ` ${berth.codeOf(secret).replace(/^.../, '$& ')}\n`
  assert.equal((await verify(pin, await challenge())).account.id, ada.account.id)
})

const twoStepsOff = [-2, 2]
test('verify2FASetup refuses a wrong code or a code of another time, and changes nothing', async () => {
  const { secret } = await generate()
  const { secret: other } = await generate()
  const pins = [...twoStepsOff.map((by) => berth.codeOf(secret, by)), berth.codeOf(other), 'abcdef', '      ']
  for (const pin of pins) await berth.refused('UNAUTHORIZED', 'auth.verify2FASetup', { secret, pin }, ada.accessToken)
  assert.equal(await isOn(), false)
  assert.equal((await berth.login()).account.is2FAEnabled, false)
})

for (const secret of ['', '=', 'AAAA', 'A'.repeat(31), 'A'.repeat(257), '0'.repeat(32), '********', null, 7]) {
  test(`verify2FASetup refuses the secret ${JSON.stringify(secret)?.slice(0, 40)}`, async () => {
    const pin = typeof secret === 'string' && /^A+$/.test(secret) ? berth.codeOf(secret) : '123456'
    const input = { secret, pin }
    const { issues } = await berth.refused('BAD_REQUEST', 'auth.verify2FASetup', input, ada.accessToken)
    assert.deepEqual(
      issues.map(({ path }) => path),
      ['secret'],
    )
  })
}

for (const pin of ['', '12345', 'x'.repeat(65), null, 123456, ['123456']]) {
  test(`refuses the malformed pin ${JSON.stringify(pin).slice(0, 20)} and counts no attempt`, async () => {
    const { secret } = await berth.turnOn(ada.accessToken)
    const { challengeToken, id } = await challenge()
    for (const [name, as] of [
      ['verify2FASetup', ada.accessToken],
      ['verifyLogin2FA', challengeToken],
    ] as const) {
      const { issues } = await berth.refused('BAD_REQUEST', `auth.${name}`, { pin, secret, id }, as)
      assert.deepEqual([...new Set(issues.map(({ path }) => path))], ['pin'])
    }
    assert.deepEqual(await berth.rows('attempt'), [])
    assert.ok((await berth.rows('token')).every(({ attempts }) => attempts === 0))
  })
}

test('verify2FASetup gets 412 if the second factor is on, and disable2FA if it is off', async () => {
  await berth.refused('PRECONDITION_FAILED', 'auth.disable2FA', {}, ada.accessToken)
  await berth.turnOn(ada.accessToken)
  const { secret } = await generate()
  const input = { secret, pin: berth.codeOf(secret) }
  await berth.refused('PRECONDITION_FAILED', 'auth.verify2FASetup', input, ada.accessToken)
})

test('one of two concurrent setups succeeds, and its recovery codes are valid', async () => {
  const setups = await Promise.all([generate(), generate(), generate()])
  const ended = await Promise.allSettled(
    setups.map(({ secret }) =>
      berth.call<Factor>('auth.verify2FASetup', { secret, pin: berth.codeOf(secret) }, ada.accessToken),
    ),
  )
  const successful = ended.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))
  assert.equal(successful.length, 1)
  for (const end of ended) if (end.status === 'rejected') assert.equal(end.reason.code, 'PRECONDITION_FAILED')
  assert.equal((await berth.rows('recoveryCode')).length, 10)
  await verify(successful[0]!.recoveryCodes[0]!, await challenge())
})

test('login answers a challenge, which can only call verifyLogin2FA', async () => {
  const { secret } = await berth.turnOn(ada.accessToken)
  const answer = await challenge()
  const { challengeToken, ...rest } = answer
  assert.match(challengeToken, /^berth_2fa_[\w-]{43}$/)
  assert.deepEqual(rest, { twoFactorRequired: true, id: ada.account.id, expiresAt: '2030-01-01T00:05:00.000Z' })
  for (const name of berth.names.filter((each) => each !== 'auth.verifyLogin2FA')) {
    await berth.refused('FORBIDDEN', name, { id: ada.account.id }, challengeToken)
  }
  const { accessToken, account, expiresAt } = await verify(berth.codeOf(secret), answer)
  assert.match(accessToken, /^berth_sess_/)
  assert.deepEqual([account.id, account.is2FAEnabled, expiresAt], [ada.account.id, true, '2030-01-31T00:00:00.000Z'])
  assert.equal((await berth.call('auth.get', {}, accessToken)).id, ada.account.id)
  assert.deepEqual(await berth.rows('attempt'), [])
  const next = { pin: berth.codeOf(secret, 1), id: account.id }
  await berth.refused('UNAUTHORIZED', 'auth.verifyLogin2FA', next, challengeToken)
})

for (const by of [-1, 0, 1]) {
  test(`accepts the code of time step ${by}`, async () => {
    const { secret } = await berth.turnOn(ada.accessToken)
    berth.pass(minute)
    await verify(berth.codeOf(secret, by), await challenge())
  })
}

test('refuses a code that is two time steps off', async () => {
  const { secret } = await berth.turnOn(ada.accessToken)
  berth.pass(5 * minute)
  for (const by of twoStepsOff) {
    const { id, challengeToken } = await challenge()
    await berth.refused('UNAUTHORIZED', 'auth.verifyLogin2FA', { pin: berth.codeOf(secret, by), id }, challengeToken)
  }
  const pin = berth.codeOf(secret)
  berth.pass(minute)
  const { id, challengeToken } = await challenge()
  await berth.refused('UNAUTHORIZED', 'auth.verifyLogin2FA', { pin, id }, challengeToken)
})

test('disable2FA turns the second factor off and ends its codes and pending sign-ins', async () => {
  const { secret, recoveryCodes } = await berth.turnOn(ada.accessToken)
  const waiting = await challenge()
  const account = await berth.call<Session['account']>('auth.disable2FA', {}, ada.accessToken)
  assert.deepEqual(account, { ...ada.account, is2FAEnabled: false })
  assert.deepEqual([await berth.rows('recoveryCode'), await isOn()], [[], false])
  for (const pin of [berth.codeOf(secret), recoveryCodes[0]!]) {
    await berth.refused('UNAUTHORIZED', 'auth.verifyLogin2FA', { pin, id: waiting.id }, waiting.challengeToken)
  }
  assert.equal((await berth.login()).account.is2FAEnabled, false)
  assert.equal((await berth.rows('account'))[0]!.secret, null)
})

test('disable2FA refuses API tokens and sessions that have not passed the second factor', async () => {
  const { token } = await berth.call('auth.generateToken', {}, ada.accessToken)
  await berth.turnOn(ada.accessToken)
  await berth.change((tx) => tx.updateTable('token').set({ passed2FA: 0 }).execute())
  const off = { email: null, password: null, is2FAEnabled: false }
  for (const as of [token, ada.accessToken]) {
    await berth.refused('FORBIDDEN', 'auth.disable2FA', {}, as)
    await berth.refused('FORBIDDEN', 'auth.update', off, as)
    await berth.refused('FORBIDDEN', 'auth.updateByAdmin', { ...off, id: ada.account.id }, as)
  }
})

test('an administrator resets a lost second factor', async () => {
  const bob = await berth.join(ada.accessToken, 'bob@example.org')
  const { recoveryCodes } = await berth.turnOn(bob.accessToken)
  const input = { id: bob.account.id, email: null, password: null, is2FAEnabled: false }
  const account = await berth.call<Session['account']>('auth.updateByAdmin', input, ada.accessToken)
  assert.deepEqual(account, { ...bob.account, is2FAEnabled: false })
  const { accessToken } = await berth.login({ email: 'bob@example.org' })
  assert.equal((await berth.call('auth.get', {}, accessToken)).id, bob.account.id)
  const { secret } = await berth.turnOn(accessToken)
  const again = (await berth.login({ email: 'bob@example.org' })) as unknown as Challenge
  const old = { pin: recoveryCodes[0], id: again.id }
  await berth.refused('UNAUTHORIZED', 'auth.verifyLogin2FA', old, again.challengeToken)
  await verify(berth.codeOf(secret), again)
})

test('no later answer, log line or stored plain text contains the secret or a recovery code', async () => {
  const { secret, recoveryCodes } = await berth.turnOn(ada.accessToken)
  const waiting = await challenge()
  const { accessToken, account } = await verify(recoveryCodes[0]!, waiting)
  const answers = [account, waiting]
  for (const name of ['auth.get', 'auth.one', 'user.all', 'auth.sessions', 'auth.tokens', 'audit.all']) {
    answers.push((await berth.reply(name, { id: account.id }, accessToken)).body as never)
  }
  const same = { ...account, password: null }
  answers.push(await berth.call('auth.update', same, accessToken), await berth.call('auth.disable2FA', {}, accessToken))
  const stored = [await berth.everything(), await berth.rows('audit')]
  const text = JSON.stringify([answers, berth.logged(), stored])
  for (const each of [secret, ...recoveryCodes, password]) assert.ok(!text.includes(each))
})

test('a second factor and a pending sign-in survive a restart', async () => {
  const { secret } = await berth.turnOn(ada.accessToken)
  const waiting = await challenge()
  await berth.restart()
  berth.pass(30 * second)
  await verify(berth.codeOf(secret), waiting)
})
