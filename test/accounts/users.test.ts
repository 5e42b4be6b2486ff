/** The list of accounts, and what the removal of an account deletes and keeps. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { type Berth, factsOf, password, second, type Session, startTeam } from './auth-fixture.ts'

let berth: Berth
let ada: Session
let bob: Session
beforeEach(async () => {
  ;({ berth, ada, bob } = await startTeam())
})
afterEach(() => berth.close())

interface User {
  userId: string
  authId: string
  email: string
}

const all = (as: string) => berth.call<User[]>('user.all', {}, as)
const remove = ({ account }: Session, as = ada.accessToken) =>
  berth.call<User>('user.remove', { userId: account.id }, as)

/** The operations that read one account, with their id field. */
const readOperations = [
  ['auth.one', 'id'],
  ['user.byAuthId', 'authId'],
  ['user.byUserId', 'userId'],
] as const

test('administrators list and read every account, users only their own', async () => {
  assert.deepEqual(
    (await all(ada.accessToken)).map(({ email }) => email),
    ['Ada@Example.org', 'bob@example.org'],
  )
  assert.deepEqual(
    (await all(bob.accessToken)).map(({ userId }) => userId),
    [bob.account.id],
  )
  for (const [name, field] of readOperations) {
    for (const { account } of [ada, bob]) {
      assert.equal((await berth.call(name, { [field]: account.id }, ada.accessToken)).email, account.email)
    }
    assert.equal((await berth.call(name, { [field]: bob.account.id }, bob.accessToken)).email, 'bob@example.org')
  }
})

test('a user cannot distinguish another account from a missing one', async () => {
  for (const [name, field] of readOperations) {
    const [foreign, unknown] = [
      await berth.refused('NOT_FOUND', name, { [field]: ada.account.id }, bob.accessToken),
      await berth.refused('NOT_FOUND', name, { [field]: berth.app.newId() }, bob.accessToken),
    ]
    assert.deepEqual(foreign, unknown)
    const malformed = await berth.refused('NOT_FOUND', name, { [field]: "' or 1=1 --" }, ada.accessToken)
    assert.deepEqual(factsOf(malformed), factsOf(unknown))
  }
})

test('API tokens of any scope see no more than their account', async () => {
  for (const scope of ['read', 'deploy', 'admin']) {
    const { token } = await berth.call('auth.createToken', { name: scope, scope }, bob.accessToken)
    assert.deepEqual(
      (await all(token)).map(({ userId }) => userId),
      [bob.account.id],
    )
    for (const [name, field] of readOperations)
      await berth.refused('NOT_FOUND', name, { [field]: ada.account.id }, token)
    for (const name of ['user.invitations', 'user.remove', 'auth.updateByAdmin', 'audit.all', 'audit.check']) {
      await berth.refused('FORBIDDEN', name, { userId: ada.account.id }, token)
    }
  }
})

test('no answer about an account contains its secrets', async () => {
  const { secret } = await berth.turnOn(bob.accessToken)
  const { token } = await berth.call('auth.generateToken', {}, bob.accessToken)
  const answers = [await all(ada.accessToken), await berth.call('auth.get', {}, bob.accessToken)]
  for (const [name, field] of readOperations)
    answers.push(await berth.call(name, { [field]: bob.account.id }, ada.accessToken))
  const text = JSON.stringify([answers, berth.logged()])
  const hashes = (await berth.rows('account')).map(({ passwordHash }) => passwordHash)
  for (const each of [secret, token, password, ...hashes]) assert.ok(!text.includes(String(each)))
})

test('user.all and user.invitations are paged without gaps or repetitions', async () => {
  for (const name of ['carl', 'dora', 'emil']) await berth.join(ada.accessToken, `${name}@example.org`)
  for (const name of ['flo', 'gus', 'hal']) {
    await berth.call('user.invite', { email: `${name}@example.org` }, ada.accessToken)
  }
  for (const name of ['user.all', 'user.invitations']) {
    const complete = await berth.call<User[]>(name, {}, ada.accessToken)
    const paged: User[] = []
    let cursor: string | undefined
    do {
      const input = { limit: 2, ...(cursor === undefined ? {} : { cursor }) }
      const { body, headers } = await berth.reply<User[]>(name, input, ada.accessToken)
      assert.ok(body.length <= 2)
      paged.push(...body)
      cursor = headers['berth-next-cursor']
    } while (cursor !== undefined)
    assert.deepEqual(paged, complete)
    for (const limit of [0, -1, 1.5, 'x', 1001]) await berth.refused('BAD_REQUEST', name, { limit }, ada.accessToken)
  }
})

test('a cursor does not show other accounts to a user', async () => {
  const { body } = await berth.reply<User[]>('user.all', { cursor: ada.account.id, limit: 5 }, bob.accessToken)
  assert.deepEqual(
    body.map(({ userId }) => userId),
    [bob.account.id],
  )
})

test('remove ends all tokens and sign-ins of the account at once', async () => {
  const { token } = await berth.call('auth.generateToken', {}, bob.accessToken)
  await berth.turnOn(bob.accessToken)
  const { challengeToken } = (await berth.login({ email: 'bob@example.org' })) as Session & { challengeToken: string }
  const { email, userId } = await remove(bob)
  assert.deepEqual([email, userId], ['bob@example.org', bob.account.id])
  for (const bearer of [bob.accessToken, token]) await berth.refused('UNAUTHORIZED', 'auth.get', {}, bearer)
  await berth.refused('UNAUTHORIZED', 'auth.verifyLogin2FA', { pin: '123456', id: bob.account.id }, challengeToken)
  await berth.refused('UNAUTHORIZED', 'auth.login', { email: 'bob@example.org', password }, bob.accessToken)
  await berth.refused('UNAUTHORIZED', 'auth.login', { email: 'bob@example.org', password }, berth.installationToken)
  const { account, token: tokens, recoveryCode } = await berth.everything()
  assert.deepEqual([account.length, tokens.length, recoveryCode], [1, 1, []])
  await berth.refused('NOT_FOUND', 'user.remove', { userId: bob.account.id }, ada.accessToken)
})

test('records of a removed account stay, and its e-mail can be used again', async () => {
  const { projectId } = await berth.call<{ projectId: string }>('project.create', { name: 'shop' }, bob.accessToken)
  await remove(bob)
  assert.equal((await berth.reply('project.one', { projectId }, ada.accessToken)).body.name, 'shop')
  const again = await berth.join(ada.accessToken, 'BOB@example.org')
  assert.notEqual(again.account.id, bob.account.id)
  await berth.refused('UNAUTHORIZED', 'auth.get', {}, bob.accessToken)
})

test('removing an account deletes its stored answers', async () => {
  await berth.call('project.create', { name: 'shop' }, bob.accessToken, { 'idempotency-key': 'one' })
  assert.equal((await berth.rows('idempotency')).length, 1)
  await remove(bob)
  assert.deepEqual(await berth.rows('idempotency'), [])
})

test('the last administrator cannot be removed, not even by two concurrent calls', async () => {
  const { message } = await berth.refused('CONFLICT', 'user.remove', { userId: ada.account.id }, ada.accessToken)
  assert.match(message, /last administrator/)
  const eve = await berth.join(ada.accessToken, 'eve@example.org', 'admin')
  const ended = await Promise.allSettled([remove(ada, eve.accessToken), remove(eve, ada.accessToken)])
  assert.equal(ended.filter(({ status }) => status === 'fulfilled').length, 1)
  assert.equal((await berth.rows('account')).filter(({ rol }) => rol === 'admin').length, 1)
})

test('an administrator can be removed if there is another', async () => {
  const eve = await berth.join(ada.accessToken, 'eve@example.org', 'admin')
  await remove(ada)
  await berth.refused('UNAUTHORIZED', 'auth.get', {}, ada.accessToken)
  assert.equal((await all(eve.accessToken)).length, 2)
})

test('users cannot remove accounts, not even their own', async () => {
  for (const { account } of [ada, bob]) {
    await berth.refused('FORBIDDEN', 'user.remove', { userId: account.id }, bob.accessToken)
  }
})

test('lastSeenAt records use with a precision of ten minutes', async () => {
  const lastSeenAt = async () =>
    (await berth.call<{ lastSeenAt: string }>('user.byUserId', { userId: bob.account.id }, ada.accessToken)).lastSeenAt
  for (const [passed, expected] of [
    [599, '00:00:00'],
    [1, '00:10:00'],
    [599, '00:10:00'],
    [1, '00:20:00'],
  ] as const) {
    berth.pass(passed * second)
    await berth.call('auth.get', {}, bob.accessToken)
    assert.equal(await lastSeenAt(), `2030-01-01T${expected}.000Z`)
  }
})
