/** Reauthentication: a new e-mail or password needs a recent sign-in or the current password. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { type Berth, minute, password, second, type Session, startTeam } from './auth-fixture.ts'

let berth: Berth
let ada: Session
let bob: Session
beforeEach(async () => {
  ;({ berth, ada, bob } = await startTeam())
})
afterEach(() => berth.close())

type Input = Record<string, unknown>
type Account = Session['account']

const none = { email: null, password: null }
const newPassword = 'a new password of his'
const changes: [what: string, input: Input][] = [
  ['an e-mail', { email: 'robert@example.org' }],
  ['a password', { password: newPassword }],
  ['both', { email: 'robert@example.org', password: newPassword }],
]

/** Both ways to change an own account, each with whose it is. */
const ways: [name: string, own: () => Session][] = [
  ['auth.update', () => bob],
  ['auth.updateByAdmin', () => ada],
]

for (const [name, own] of ways) {
  describe(`${name}, of the own account`, () => {
    const change = (input: Input, as = own().accessToken) =>
      berth.call<Account>(name, { id: own().account.id, ...none, ...input }, as)
    const refuse = (code: 'BAD_REQUEST' | 'FORBIDDEN' | 'TOO_MANY_REQUESTS', input: Input) =>
      berth.refused(code, name, { id: own().account.id, ...none, ...input }, own().accessToken)

    for (const [what, input] of changes) {
      test(`${what} is changed by a session that signed in within ten minutes, and by no older one`, async () => {
        berth.pass(10 * minute - second)
        await change(input)
        berth.pass(second)
        const { message, issues } = await refuse('FORBIDDEN', { ...input, email: 'bobby@example.org' })
        assert.match(message, /more than 10 minutes ago\. Send currentPassword as well, or sign in again/)
        assert.deepEqual(issues, [])
      })
    }

    test('the present password does where the sign-in is older; a wrong one is refused', async () => {
      berth.pass(11 * minute)
      const { issues } = await refuse('FORBIDDEN', { password: newPassword, currentPassword: 'not the password' })
      assert.deepEqual(
        issues.map(({ path }) => path),
        ['currentPassword'],
      )
      await change({ password: newPassword, currentPassword: password })
      await berth.login({ email: own().account.email, password: newPassword })
    })

    test('what else an account has is changed by any session', async () => {
      berth.pass(11 * minute)
      const { email } = own().account
      for (const input of [{}, { image: 'x' }, { email }, { password: '********' }]) await change(input)
    })

    test('what is sent is checked even by a session that signed in just now', async () => {
      await refuse('FORBIDDEN', { image: 'x', currentPassword: 'not the password' })
      const { issues } = await refuse('BAD_REQUEST', { image: 'x', code: '123456' })
      assert.deepEqual(
        issues.map(({ path }) => path),
        ['code'],
      )
    })

    test('where the second factor is on, its code is asked for as well, and is good once', async () => {
      const { secret, recoveryCodes } = await berth.turnOn(own().accessToken)
      berth.pass(11 * minute)
      const { message } = await refuse('FORBIDDEN', { password: newPassword })
      assert.match(message, /Send currentPassword and code as well/)
      const proof = { currentPassword: password }
      for (const given of [proof, { ...proof, code: '000000' }]) {
        const { issues } = await refuse('FORBIDDEN', { password: newPassword, ...given })
        assert.deepEqual(
          issues.map(({ path }) => path),
          ['code'],
        )
      }
      const code = berth.codeOf(secret)
      await change({ password: newPassword, ...proof, code })
      const again = { password, currentPassword: newPassword }
      await refuse('FORBIDDEN', { ...again, code })
      await change({ ...again, code: recoveryCodes[0] })
    })

    test('guesses are counted: after ten wrong passwords the right one waits too', async () => {
      berth.pass(11 * minute)
      const input = { password: newPassword, currentPassword: 'not the password' }
      for (let i = 0; i < 10; i++) await refuse('FORBIDDEN', input)
      await refuse('TOO_MANY_REQUESTS', { ...input, currentPassword: password })
      berth.pass(second)
      await change({ ...input, currentPassword: password })
    })

    test('codes are counted too: after five wrong ones the right one waits', async () => {
      const { secret } = await berth.turnOn(own().accessToken)
      berth.pass(11 * minute)
      const input = { password: newPassword, currentPassword: password }
      for (let i = 0; i < 5; i++) await refuse('FORBIDDEN', { ...input, code: 'abcdef' })
      await refuse('TOO_MANY_REQUESTS', { ...input, code: berth.codeOf(secret) })
      berth.pass(second)
      await change({ ...input, code: berth.codeOf(secret) })
    })
  })
}

test('of two changes of the password at once the later one is refused', async () => {
  berth.pass(11 * minute)
  const change = (to: string) =>
    berth.call('auth.update', { ...none, password: to, currentPassword: password }, bob.accessToken)
  const ended = await Promise.allSettled([change('the first of two'), change('the second of two')])
  assert.deepEqual(ended.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
})

test("an administrator changes others' accounts by any session", async () => {
  berth.pass(11 * minute)
  await berth.call('auth.updateByAdmin', { id: bob.account.id, ...none, password: newPassword }, ada.accessToken)
  await berth.login({ email: 'bob@example.org', password: newPassword })
})

describe('API tokens', () => {
  const tokenOf = async (as: string) => (await berth.call('auth.generateToken', {}, as)).token

  test('stay with an own new password, unless their owner ends them', async () => {
    const [token, other] = [await tokenOf(bob.accessToken), await tokenOf(ada.accessToken)]
    await berth.call('auth.update', { ...none, password: newPassword }, bob.accessToken)
    await berth.call('auth.get', {}, token)
    await berth.call('auth.update', { ...none, password, revokeTokens: true }, bob.accessToken)
    await berth.refused('UNAUTHORIZED', 'auth.get', {}, token)
    for (const as of [bob.accessToken, other]) await berth.call('auth.get', {}, as)
  })

  test('end with a reset by an administrator, and with nothing else that an administrator changes', async () => {
    const [token, other] = [await tokenOf(bob.accessToken), await tokenOf(ada.accessToken)]
    const byAdmin = (input: Input) =>
      berth.call('auth.updateByAdmin', { id: bob.account.id, ...none, ...input }, ada.accessToken)
    for (const input of [{ image: 'x' }, { email: 'robert@example.org' }, { rol: 'admin' }]) await byAdmin(input)
    await berth.call('auth.get', {}, token)
    await byAdmin({ password: newPassword })
    await berth.refused('UNAUTHORIZED', 'auth.get', {}, token)
    await berth.call('auth.get', {}, other)
  })
})
