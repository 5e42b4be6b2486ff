/** Changes of accounts by their owners and by administrators: which changes are permitted, and what they end. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { type Berth, password, second, type Session, startTeam } from './auth-fixture.ts'

let berth: Berth
let ada: Session
let bob: Session
beforeEach(async () => {
  ;({ berth, ada, bob } = await startTeam())
})
afterEach(() => berth.close())

type Account = Session['account']
type Input = Record<string, unknown>

const none = { email: null, password: null }
const newPassword = 'a new password of his'
const update = (input: Input = {}, as = bob.accessToken) =>
  berth.call<Account>('auth.update', { ...none, ...input }, as)
const byAdmin = (input: Input = {}, as = ada.accessToken) =>
  berth.call<Account>('auth.updateByAdmin', { id: bob.account.id, ...none, ...input }, as)
const loginAsBob = (overrides = {}) => berth.login({ email: 'bob@example.org', ...overrides })

/** The two operations that change Bob's account. */
const ways = { 'auth.update': update, 'auth.updateByAdmin': byAdmin }
const bearerOf = (name: string) => (name === 'auth.update' ? bob : ada).accessToken
const refuse = (code: 'BAD_REQUEST' | 'CONFLICT', name: string, input: Input) =>
  berth.refused(code, name, { id: bob.account.id, ...none, ...input }, bearerOf(name))

for (const [name, change] of Object.entries(ways)) {
  describe(name, () => {
    test('null, omitted fields and the mask keep the stored values', async () => {
      await berth.call('auth.generateToken', {}, bob.accessToken)
      await berth.turnOn(bob.accessToken)
      const before = await berth.everything()
      for (const more of [
        {},
        { secret: null, token: null },
        { password: '********' },
        { secret: '********', token: '********' },
        { is2FAEnabled: true },
        { rol: 'user' },
        { createdAt: bob.account.createdAt },
        { email: 'bob@example.org' },
      ])
        assert.deepEqual(await change(more), { ...bob.account, is2FAEnabled: true })
      assert.deepEqual(await berth.everything(), before)
    })

    test('a record that was read can be sent back and changes nothing', async () => {
      for (const turnOn of [async () => {}, () => berth.turnOn(bob.accessToken)]) {
        await turnOn()
        const record = await berth.call<Account>('auth.get', {}, bob.accessToken)
        const before = await berth.everything()
        assert.deepEqual(await change(record), record)
        assert.deepEqual(await berth.everything(), before)
      }
    })

    test('email and password are required, but may be null', async () => {
      for (const field of ['email', 'password']) {
        const { issues } = await refuse('BAD_REQUEST', name, { [field]: undefined })
        assert.deepEqual(
          issues.map(({ path }) => path),
          [field],
        )
      }
    })

    const wrong: [field: string, value: unknown, messagePattern: RegExp][] = [
      ['email', 'bob', /e-mail address/],
      ['email', '', /e-mail address/],
      ['email', '********', /e-mail address/],
      ['password', '1234567', /at least 8/],
      ['password', 'x'.repeat(1025), /at most 1,024/],
      ['password', 12345678, /must be a text/],
      ['rol', 'root', /admin/],
      ['rol', null, /admin/],
      ['image', 'x'.repeat(2001), /at most 2,000/],
      ['secret', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', /verify2FASetup/],
      ['secret', '', /verify2FASetup/],
      ['secret', '********', /nothing is stored/],
      ['token', 'berth_api_mine', /generateToken/],
      ['token', '********', /nothing is stored/],
      ['is2FAEnabled', true, /verify2FASetup/],
      ['is2FAEnabled', 'no', /true or false/],
      ['createdAt', '2029-01-01T00:00:00.000Z', /cannot be changed/],
      ['createdAt', '', /cannot be changed/],
      ['createdAt', '2030-01-01T00:00:00Z', /cannot be changed/],
    ]
    for (const [field, value, messagePattern] of wrong) {
      test(`refuses ${field} ${JSON.stringify(value).slice(0, 30)}, names it and changes nothing`, async () => {
        const { issues } = await refuse('BAD_REQUEST', name, { image: 'a picture', [field]: value })
        assert.deepEqual(
          issues.map(({ path }) => path),
          [field],
        )
        assert.match(issues[0]!.message, messagePattern)
      })
    }

    test('a refused call changes nothing, even if other fields are valid', async () => {
      await berth.turnOn(bob.accessToken)
      const all = { password: newPassword, image: 'a picture', is2FAEnabled: false, createdAt: 'wrong' }
      await refuse('BAD_REQUEST', name, all)
      await refuse(name === 'auth.update' ? 'BAD_REQUEST' : 'CONFLICT', name, {
        ...all,
        createdAt: undefined,
        email: 'ADA@example.org',
      })
    })

    test('changes the case of an e-mail and the picture', async () => {
      const account = await change({ email: 'BOB@Example.org', image: 'https://example.org/bob.png' })
      assert.deepEqual(account, { ...bob.account, email: 'BOB@Example.org', image: 'https://example.org/bob.png' })
      assert.deepEqual((await loginAsBob()).account, account)
      assert.equal((await change({ image: '' })).image, '')
    })

    test('after a change only the new e-mail signs in, and sessions stay', async () => {
      assert.equal((await change({ email: 'robert@example.org' })).email, 'robert@example.org')
      await loginAsBob({ email: 'Robert@example.org' })
      await berth.refused('UNAUTHORIZED', 'auth.login', { email: 'bob@example.org', password }, berth.installationToken)
      assert.equal((await berth.call('auth.get', {}, bob.accessToken)).email, 'robert@example.org')
    })

    test("a new password ends the account's sessions and pending sign-ins", async () => {
      const { accessToken: other } = await loginAsBob()
      const waiting = (await berth
        .change((tx) => tx.updateTable('account').set({ is2FAEnabled: 1 }).where('id', '=', bob.account.id).execute())
        .then(() => loginAsBob())) as unknown as { challengeToken: string }
      await change({ password: newPassword })
      await berth.refused('UNAUTHORIZED', 'auth.get', {}, other)
      await berth.refused('UNAUTHORIZED', 'auth.verifyLogin2FA', { pin: '123456', id: 'x' }, waiting.challengeToken)
      if (name === 'auth.update') await berth.call('auth.get', {}, bob.accessToken)
      else await berth.refused('UNAUTHORIZED', 'auth.get', {}, bob.accessToken)
      await berth.call('auth.get', {}, ada.accessToken)
      await berth.refused('UNAUTHORIZED', 'auth.login', { email: 'bob@example.org', password }, berth.installationToken)
      await loginAsBob({ password: newPassword })
    })

    test('is2FAEnabled false turns the second factor off', async () => {
      await berth.turnOn(bob.accessToken)
      assert.deepEqual(await change({ is2FAEnabled: false }), bob.account)
      assert.deepEqual(await change({ is2FAEnabled: false }), bob.account, 'a repeated call changes nothing')
      assert.deepEqual(await berth.rows('recoveryCode'), [])
      assert.equal((await loginAsBob()).account.is2FAEnabled, false)
    })

    test('refuses API tokens', async () => {
      const { token } = await berth.call('auth.generateToken', {}, bearerOf(name))
      await berth.refused('FORBIDDEN', name, { id: bob.account.id, ...none, image: 'x' }, token)
    })
  })
}

describe('auth.update', () => {
  test('changes no other account', async () => {
    for (const id of [ada.account.id, 'unknown', '']) {
      const { issues } = await refuse('BAD_REQUEST', 'auth.update', { id, password: newPassword })
      assert.deepEqual(
        issues.map(({ path }) => path),
        ['id'],
      )
    }
    assert.equal((await update({ id: bob.account.id, image: 'x' })).image, 'x')
  })

  test('changes no role, not even of administrators', async () => {
    const { issues } = await refuse('BAD_REQUEST', 'auth.update', { rol: 'admin' })
    assert.deepEqual(
      issues.map(({ path }) => path),
      ['rol'],
    )
    await berth.refused('BAD_REQUEST', 'auth.update', { ...none, rol: 'user' }, ada.accessToken)
    assert.equal((await update({ rol: 'admin' }, ada.accessToken)).rol, 'admin')
  })

  test('does not reveal a taken e-mail, and limits attempts after ten, not permanently', async () => {
    for (let i = 0; i < 10; i++) {
      const email = i % 2 === 0 ? 'ADA@example.org' : 'ada@example.org'
      const { message } = await refuse('BAD_REQUEST', 'auth.update', { email })
      assert.equal(message, 'email: cannot be used. Choose another e-mail, or ask an administrator')
    }
    const { accessToken } = await loginAsBob()
    for (const as of [bob.accessToken, accessToken]) {
      for (const email of ['ada@example.org', 'free@example.org']) {
        const limited = await berth.refused('TOO_MANY_REQUESTS', 'auth.update', { ...none, email }, as)
        assert.equal(limited.retryAfter, '1')
      }
    }
    await update({ image: 'other fields can be changed' })
    berth.pass(second)
    await update({ email: 'free@example.org' })
  })

  test('does not count e-mails that were free', async () => {
    for (let i = 0; i < 12; i++) await update({ email: `bob${i}@example.org` })
    assert.deepEqual(await berth.rows('attempt'), [])
  })

  test('tells administrators that an e-mail is taken', async () => {
    const input = { ...none, email: 'BOB@example.org' }
    const { issues } = await berth.refused('CONFLICT', 'auth.update', input, ada.accessToken)
    assert.deepEqual(issues, [{ path: 'email', message: 'is taken by another account' }])
  })

  test('gives a free e-mail to only one of two concurrent calls', async () => {
    const ended = await Promise.allSettled([
      update({ email: 'free@example.org' }),
      update({ email: 'FREE@example.org' }, ada.accessToken),
    ])
    assert.equal(ended.filter(({ status }) => status === 'fulfilled').length, 1)
  })
})

describe('auth.updateByAdmin', () => {
  test('refuses users, whichever account they change', async () => {
    for (const { account } of [ada, bob]) {
      await berth.refused('FORBIDDEN', 'auth.updateByAdmin', { ...none, id: account.id, rol: 'admin' }, bob.accessToken)
    }
  })

  test('answers 404 for a missing account and 409 for a taken e-mail', async () => {
    await berth.refused('NOT_FOUND', 'auth.updateByAdmin', { ...none, id: 'unknown', rol: 'admin' }, ada.accessToken)
    await refuse('CONFLICT', 'auth.updateByAdmin', { email: 'ADA@example.org' })
    assert.deepEqual(await berth.rows('attempt'), [])
  })

  test('applies a new role to API tokens at once and ends the sessions', async () => {
    const { token } = await berth.call('auth.generateToken', {}, bob.accessToken)
    await berth.refused('FORBIDDEN', 'user.invitations', {}, token)
    assert.equal((await byAdmin({ rol: 'admin' })).rol, 'admin')
    await berth.refused('UNAUTHORIZED', 'auth.get', {}, bob.accessToken)
    await berth.call('user.invitations', {}, token)
    assert.equal((await byAdmin({ rol: 'user' })).rol, 'user')
    await berth.refused('FORBIDDEN', 'user.invitations', {}, token)
    assert.equal(((await berth.call('auth.verifyToken', {}, token)) as Input).rol, 'user')
  })

  test('never demotes the last administrator, not even with two concurrent calls', async () => {
    const demote = (id: string, as: string) => byAdmin({ id, rol: 'user' }, as)
    const input = { ...none, id: ada.account.id, rol: 'user', image: 'x' }
    const { message } = await berth.refused('CONFLICT', 'auth.updateByAdmin', input, ada.accessToken)
    assert.match(message, /last administrator/)
    await byAdmin({ rol: 'admin' })
    const { accessToken, account } = await loginAsBob()
    const ended = await Promise.allSettled([demote(ada.account.id, accessToken), demote(account.id, ada.accessToken)])
    assert.equal(ended.filter(({ status }) => status === 'fulfilled').length, 1)
    assert.equal((await berth.rows('account')).filter(({ rol }) => rol === 'admin').length, 1)
  })

  test('lets an administrator become a user and keep the session of the call', async () => {
    await byAdmin({ rol: 'admin' })
    const { accessToken: other } = await berth.login()
    assert.equal((await byAdmin({ id: ada.account.id, rol: 'user' })).rol, 'user')
    await berth.refused('UNAUTHORIZED', 'auth.get', {}, other)
    await berth.refused('FORBIDDEN', 'user.invitations', {}, ada.accessToken)
    const promotion = { ...none, id: ada.account.id, rol: 'admin' }
    await berth.refused('FORBIDDEN', 'auth.updateByAdmin', promotion, ada.accessToken)
  })
})
