/** Reauthentication: what gives lasting access needs a recent sign-in or the current password. */
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

const pathsOf = (issues: readonly { path: string }[]) => issues.map(({ path }) => path)

const none = { email: null, password: null }
const newPassword = 'a new password of his'
const changes: [changedFields: string, input: Input][] = [
  ['an e-mail', { email: 'robert@example.org' }],
  ['a password', { password: newPassword }],
  ['both', { email: 'robert@example.org', password: newPassword }],
]

/** The operations that change an own account, each with the account that calls it. */
const operations: [name: string, own: () => Session][] = [
  ['auth.update', () => bob],
  ['auth.updateByAdmin', () => ada],
]

for (const [name, own] of operations) {
  describe(`${name} of the own account`, () => {
    const change = (input: Input, as = own().accessToken) =>
      berth.call<Account>(name, { id: own().account.id, ...none, ...input }, as)
    const refuse = (code: 'BAD_REQUEST' | 'FORBIDDEN' | 'TOO_MANY_REQUESTS', input: Input) =>
      berth.refused(code, name, { id: own().account.id, ...none, ...input }, own().accessToken)

    for (const [changedFields, input] of changes) {
      test(`only a session that signed in within ten minutes changes ${changedFields}`, async () => {
        berth.pass(10 * minute - second)
        await change(input)
        berth.pass(second)
        const { message, issues, reason } = await refuse('FORBIDDEN', { ...input, email: 'bobby@example.org' })
        assert.match(message, /more than 10 minutes ago\. Send currentPassword as well, or sign in again/)
        assert.deepEqual([reason, pathsOf(issues)], ['ProofMissing', ['currentPassword']])
      })
    }

    test('an older session needs the current password; a wrong one is refused', async () => {
      berth.pass(11 * minute)
      const { issues } = await refuse('FORBIDDEN', { password: newPassword, currentPassword: 'not the password' })
      assert.deepEqual(
        issues.map(({ path }) => path),
        ['currentPassword'],
      )
      await change({ password: newPassword, currentPassword: password })
      await berth.login({ email: own().account.email, password: newPassword })
    })

    test('any session changes other fields', async () => {
      berth.pass(11 * minute)
      const { email } = own().account
      for (const input of [{}, { image: 'x' }, { email }, { password: '********' }]) await change(input)
    })

    test('a password or code that is not needed is verified too', async () => {
      await refuse('FORBIDDEN', { image: 'x', currentPassword: 'not the password' })
      const { issues } = await refuse('BAD_REQUEST', { image: 'x', code: '123456' })
      assert.deepEqual(
        issues.map(({ path }) => path),
        ['code'],
      )
    })

    test('if the second factor is on, an unused code is needed too', async () => {
      const { secret, recoveryCodes } = await berth.turnOn(own().accessToken)
      berth.pass(11 * minute)
      const { issues: missing } = await refuse('FORBIDDEN', { password: newPassword })
      assert.deepEqual(pathsOf(missing), ['currentPassword', 'code'])
      const proof = { currentPassword: password }
      const cases = [
        [proof, 'ProofMissing'],
        [{ ...proof, code: '000000' }, undefined],
      ] as const
      for (const [codes, expected] of cases) {
        const { issues, reason } = await refuse('FORBIDDEN', { password: newPassword, ...codes })
        assert.deepEqual([reason, pathsOf(issues)], [expected, ['code']])
      }
      const code = berth.codeOf(secret)
      await change({ password: newPassword, ...proof, code })
      const again = { password, currentPassword: newPassword }
      await refuse('FORBIDDEN', { ...again, code })
      await change({ ...again, code: recoveryCodes[0] })
    })

    test('counts guesses: after ten wrong passwords the correct one must wait', async () => {
      berth.pass(11 * minute)
      const input = { password: newPassword, currentPassword: 'not the password' }
      for (let i = 0; i < 10; i++) await refuse('FORBIDDEN', input)
      await refuse('TOO_MANY_REQUESTS', { ...input, currentPassword: password })
      berth.pass(second)
      await change({ ...input, currentPassword: password })
    })

    test('counts codes: after five wrong codes the correct one must wait', async () => {
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

test('the second of two concurrent password changes is refused', async () => {
  berth.pass(11 * minute)
  const change = (to: string) =>
    berth.call('auth.update', { ...none, password: to, currentPassword: password }, bob.accessToken)
  const ended = await Promise.allSettled([change('the first of two'), change('the second of two')])
  assert.deepEqual(ended.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
})

/** The calls of an administrator that always need the proof. */
const guarded: [what: string, name: string, input: () => Input | Promise<Input>][] = [
  ['an API token', 'auth.createToken', () => ({ name: 'pipeline', scope: 'read' })],
  ['the unnamed API token', 'auth.generateToken', () => ({})],
  ['the invitation of an administrator', 'user.invite', () => ({ email: 'eve@example.org', rol: 'admin' })],
  ['a second factor', 'auth.verify2FASetup', () => ({ secret: ownSecret, pin: berth.codeOf(ownSecret) })],
  ["another account's e-mail", 'auth.updateByAdmin', () => ofBob({ email: 'robert@example.org' })],
  ["another account's password", 'auth.updateByAdmin', () => ofBob({ password: newPassword })],
  ["another account's promotion", 'auth.updateByAdmin', () => ofBob({ rol: 'admin' })],
  [
    "another account's second factor",
    'auth.updateByAdmin',
    async () => {
      await berth.turnOn((await berth.login({ email: 'bob@example.org' })).accessToken)
      return ofBob({ is2FAEnabled: false })
    },
  ],
]
const ownSecret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
const ofBob = (input: Input) => ({ id: bob.account.id, ...none, ...input })

for (const [what, name, inputOf] of guarded) {
  test(`only a recent session or the password gives ${what}`, async () => {
    berth.pass(10 * minute)
    const input = await inputOf()
    const refuse = (proof: Input) => berth.refused('FORBIDDEN', name, { ...input, ...proof }, ada.accessToken)
    const { reason, issues } = await refuse({})
    assert.deepEqual([reason, pathsOf(issues)], ['ProofMissing', ['currentPassword']])
    const wrong = await refuse({ currentPassword: 'not the password' })
    assert.deepEqual([wrong.reason, pathsOf(wrong.issues)], [undefined, ['currentPassword']])
    await berth.call(name, { ...input, currentPassword: password }, ada.accessToken)
  })

  test(`with a second factor, its code is needed for ${what}, too`, async () => {
    if (name === 'auth.verify2FASetup') return
    const { secret } = await berth.turnOn(ada.accessToken)
    berth.pass(10 * minute)
    const input = { ...(await inputOf()), currentPassword: password }
    const { reason, issues } = await berth.refused('FORBIDDEN', name, input, ada.accessToken)
    assert.deepEqual([reason, pathsOf(issues)], ['ProofMissing', ['code']])
    await berth.call(name, { ...input, code: berth.codeOf(secret) }, ada.accessToken)
  })
}

for (const name of ['auth.disable2FA', 'auth.update', 'auth.updateByAdmin']) {
  test(`only a recent session or password and code end the own second factor by ${name}`, async () => {
    const { secret } = await berth.turnOn(ada.accessToken)
    berth.pass(10 * minute)
    const off = name === 'auth.disable2FA' ? {} : { id: ada.account.id, ...none, is2FAEnabled: false }
    const proof = { currentPassword: password, code: berth.codeOf(secret) }
    const missing = [['currentPassword', 'code'], ['code'], ['currentPassword']]
    for (const [index, sent] of [{}, { currentPassword: password }, { code: proof.code }].entries()) {
      const { reason, issues } = await berth.refused('FORBIDDEN', name, { ...off, ...sent }, ada.accessToken)
      assert.deepEqual([reason, pathsOf(issues)], ['ProofMissing', missing[index]])
    }
    assert.equal((await berth.call<Account>('auth.get', {}, ada.accessToken)).is2FAEnabled, true)
    assert.equal((await berth.call<Account>(name, { ...off, ...proof }, ada.accessToken)).is2FAEnabled, false)
  })
}

test('any session of an administrator invites a user, and makes other changes of other accounts', async () => {
  berth.pass(11 * minute)
  await berth.call('user.invite', { email: 'eve@example.org' }, ada.accessToken)
  for (const input of [{ image: 'x' }, { email: 'bob@example.org' }, { rol: 'user' }, { is2FAEnabled: false }]) {
    await berth.call('auth.updateByAdmin', ofBob(input), ada.accessToken)
  }
})

describe('API tokens', () => {
  const tokenOf = async (as: string) => (await berth.call('auth.generateToken', {}, as)).token

  test("end with the owner's password change, unless the owner keeps them", async () => {
    const [token, other] = [await tokenOf(bob.accessToken), await tokenOf(ada.accessToken)]
    await berth.call('auth.update', { ...none, password: newPassword, revokeTokens: false }, bob.accessToken)
    await berth.call('auth.update', { ...none, email: 'robert@example.org' }, bob.accessToken)
    await berth.call('auth.get', {}, token)
    await berth.call('auth.update', { ...none, password }, bob.accessToken)
    await berth.refused('UNAUTHORIZED', 'auth.get', {}, token)
    for (const as of [bob.accessToken, other]) await berth.call('auth.get', {}, as)
  })

  test('end without a new password, if the owner says so', async () => {
    const token = await tokenOf(bob.accessToken)
    await berth.call('auth.update', { ...none, revokeTokens: true }, bob.accessToken)
    await berth.refused('UNAUTHORIZED', 'auth.get', {}, token)
  })

  test('end with a password reset by an administrator, but not with other changes', async () => {
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
