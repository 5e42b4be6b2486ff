/** A known device has a limit of its own: wrong passwords and codes of others do not delay it, also behind one address. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { deviceMs } from '../../src/accounts/known-devices.ts'
import { type Berth, day, password, type Session, startTeam } from './auth-fixture.ts'

let berth: Berth
let bob: Session
beforeEach(async () => {
  ;({ berth, bob } = await startTeam())
})
afterEach(() => berth.close())

type Device = Session & { deviceToken: string }
const ofBob = { email: 'bob@example.org' }
const wrong = 'not the password'

const signIn = (overrides = {}) => berth.signIn(overrides) as Promise<Device>
const register = async (overrides = {}) => (await signIn({ deviceToken: '', ...overrides })).deviceToken
const statusOf = async (input: object) =>
  (await berth.reply('auth.signIn', { email: 'ada@example.org', password, ...input }, null)).status

/** Wrong passwords until the caller has to wait. */
async function guess(input: object = {}): Promise<void> {
  for (let count = 0; count < 10; count++) assert.equal(await statusOf({ ...input, password: wrong }), 401)
  assert.equal(await statusOf(input), 429)
}

test('wrong passwords of others at the same address do not delay a known device', async () => {
  const deviceToken = await register()
  await guess()
  assert.equal(await statusOf({ deviceToken }), 200)
  assert.equal(await statusOf({}), 429, 'the others are still limited')
  for (let count = 0; count < 30; count++) {
    berth.pass(300_000)
    assert.equal(await statusOf({ password: wrong }), 401)
    assert.equal(await statusOf({ deviceToken }), 200, 'for as long as it goes on')
  }
})

test('guesses for many accounts do not delay a known device', async () => {
  const deviceToken = await register()
  for (let count = 0; count < 100; count++) {
    assert.equal(await statusOf({ email: `nobody-${count}@example.org`, password: wrong }), 401)
  }
  assert.equal(await statusOf({}), 429)
  assert.equal(await statusOf({ deviceToken }), 200)
})

test('a device has a limit itself, which does not touch others', async () => {
  const deviceToken = await register()
  await guess({ deviceToken })
  assert.equal(await statusOf({}), 200)
  assert.equal(await statusOf({ deviceToken: await register() }), 200, 'another device')
})

test('a device that is not known for the account counts like everybody else', async () => {
  const tokens = [await register(ofBob), 'berth_dev_made-up', '']
  await guess({ deviceToken: tokens[0] })
  for (const deviceToken of tokens) assert.equal(await statusOf({ deviceToken }), 429, deviceToken)
  assert.equal(await statusOf({ ...ofBob, deviceToken: tokens[0] }), 200, 'the own account')
})

test('a device keeps its token, also for several accounts, and gets a new one for a made-up one', async () => {
  const deviceToken = await register()
  assert.match(deviceToken, /^berth_dev_/)
  assert.equal(await register({ deviceToken }), deviceToken)
  assert.equal(await register({ ...ofBob, deviceToken }), deviceToken)
  assert.match(await register({ deviceToken: 'berth_dev_made-up' }), /^berth_dev_(?!made-up)/)
  assert.equal((await signIn()).deviceToken, '', 'only a caller who asks gets one')
  await guess()
  assert.deepEqual([await statusOf({ deviceToken }), await statusOf({ ...ofBob, deviceToken })], [200, 200])
})

test('wrong codes of others do not delay a known device, in both ways to sign in', async () => {
  const { secret } = await berth.turnOn(bob.accessToken)
  const first = await signIn({ ...ofBob, code: berth.codeOf(secret), deviceToken: '' })
  const { deviceToken } = first
  for (let count = 0; count < 5; count++) assert.equal(await statusOf({ ...ofBob, code: 'abcdef' }), 401)
  berth.pass(500)
  const code = () => berth.codeOf(secret, 1)
  assert.equal(await statusOf({ ...ofBob, code: code() }), 429)
  assert.equal(await statusOf({ ...ofBob, code: code(), deviceToken }), 200)
  const challenge = await berth.call<{ challengeToken: string }>(
    'auth.login',
    { ...ofBob, password, deviceToken },
    berth.installationToken,
  )
  const verify = (input: object) =>
    berth.reply('auth.verifyLogin2FA', { id: bob.account.id, ...input }, challenge.challengeToken)
  berth.pass(60_000)
  const { status, body } = await verify({ pin: berth.codeOf(secret), deviceToken })
  assert.deepEqual([status, body.deviceToken], [200, deviceToken])
})

test('auth.login, too, gives a device its own limit', async () => {
  const { deviceToken } = (await berth.login({ deviceToken: '' })) as Device
  for (let count = 0; count < 10; count++) {
    assert.equal((await berth.loginFrom('127.0.0.1', { password: wrong })).statusCode, 401)
  }
  assert.equal((await berth.loginFrom('127.0.0.1')).statusCode, 429)
  assert.equal((await berth.loginFrom('127.0.0.1', { deviceToken })).statusCode, 200)
})

test('a new password does not end the device, and the device alone gives no access', async () => {
  const deviceToken = await register()
  const { accessToken } = await signIn()
  await berth.call('auth.update', { email: null, password: 'a new password of hers' }, accessToken)
  await guess({ password: 'a new password of hers' })
  assert.equal(await statusOf({ password: 'a new password of hers', deviceToken }), 200)
  await berth.refused('UNAUTHORIZED', 'auth.get', {}, deviceToken)
})

test('a device is forgotten after 90 days without a sign-in, and when ten newer ones are known', async () => {
  const [old, first] = [await register(), await register(ofBob)]
  for (let count = 0; count < 10; count++) {
    berth.pass(1)
    await register(ofBob)
  }
  await guess(ofBob)
  assert.equal(await statusOf({ ...ofBob, deviceToken: first }), 429)
  berth.pass(deviceMs - day)
  await guess()
  assert.equal(await statusOf({ deviceToken: old }), 200)
  berth.pass(deviceMs)
  await guess()
  assert.equal(await statusOf({ deviceToken: old }), 429)
})
