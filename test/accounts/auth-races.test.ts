/** Calls in progress while their caller loses access: the access is checked again before a change is written. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { type Berth, password, type Session, startTeam } from './auth-fixture.ts'

let berth: Berth
let ada: Session
let bob: Session
beforeEach(async () => {
  ;({ berth, ada, bob } = await startTeam('admin'))
})
afterEach(() => berth.close())

type Call = [name: string, input: Record<string, unknown>, as: string]

const none = { email: null, password: null }

/** Makes all calls concurrently, in this order. Returns their statuses. */
const concurrentStatuses = (...calls: Call[]) =>
  Promise.all(calls.map(async ([name, input, as]) => (await berth.reply(name, input, as)).status))

const changesOf = (as: string): Call[] => [
  ['user.invite', { email: 'eve@example.org', rol: 'admin' }, as],
  ['auth.updateByAdmin', { ...none, id: bob.account.id, rol: 'admin' }, as],
  ['user.remove', { userId: ada.account.id }, as],
]

test('calls in progress of a demoted administrator cannot restore the role, invite or remove', async () => {
  const demotion: Call = ['auth.updateByAdmin', { ...none, id: bob.account.id, rol: 'user' }, ada.accessToken]
  assert.deepEqual(await concurrentStatuses(demotion, ...changesOf(bob.accessToken)), [200, 401, 401, 401])
  assert.deepEqual(
    (await berth.rows('account')).map(({ email, rol }) => [email, rol]),
    [
      ['Ada@Example.org', 'admin'],
      ['bob@example.org', 'user'],
    ],
  )
  assert.deepEqual(await berth.rows('invitation'), [])
})

test('calls in progress with an API token of a demoted administrator are refused', async () => {
  const { id } = await berth.call('user.invite', { email: 'eve@example.org' }, ada.accessToken)
  const { token } = await berth.call('auth.generateToken', {}, bob.accessToken)
  const demotion: Call = ['auth.updateByAdmin', { ...none, id: bob.account.id, rol: 'user' }, ada.accessToken]
  assert.deepEqual(await concurrentStatuses(demotion, ['user.revokeInvitation', { id }, token]), [200, 403])
})

test('calls in progress of a removed account get 401 and write nothing', async () => {
  const more: Call[] = [
    ...changesOf(bob.accessToken),
    ['auth.generateToken', {}, bob.accessToken],
    ['project.create', { name: 'shop' }, bob.accessToken],
    ['auth.update', { ...none, image: 'x' }, bob.accessToken],
  ]
  const removal: Call = ['user.remove', { userId: bob.account.id }, ada.accessToken]
  assert.deepEqual(await concurrentStatuses(removal, ...more), [200, ...more.map(() => 401)])
  assert.equal((await berth.rows('account')).length, 1)
})

test('of two concurrent password changes by the owner and a stolen session the second is refused', async () => {
  const { accessToken: stolen } = await berth.login()
  const change = (to: string, as: string): Call => ['auth.update', { email: null, password: to }, as]
  const create: Call = ['auth.createToken', { name: 'ci', scope: 'admin' }, stolen]
  const [changed, theft, creation] = await concurrentStatuses(
    change('the new password of ada', ada.accessToken),
    change('the password of the thief', stolen),
    create,
  )
  // The order of the two calls is not defined.
  assert.deepEqual([changed, theft].toSorted(), [200, 401])
  const winner = changed === 200 ? 'the new password of ada' : 'the password of the thief'
  assert.equal((await berth.login({ password: winner })).account.id, ada.account.id)
  // The owner's change ends a token that the stolen session created before it, and none is created after it.
  const tokens = async () => (await berth.rows('token')).filter(({ kind }) => kind === 'api').length
  assert.ok(creation === 200 || creation === 401, String(creation))
  const before = await tokens()
  if (changed === 200) assert.equal(before, 0)
  const [late] = await concurrentStatuses(changed === 200 ? create : ['auth.createToken', create[1], ada.accessToken])
  assert.deepEqual([late, await tokens()], [401, before])
})

test('a revoked session creates no token', async () => {
  const { accessToken } = await berth.login()
  const { body } = await berth.reply<{ sessionId: string; isCurrent: boolean }[]>('auth.sessions', {}, accessToken)
  const { sessionId } = body.find(({ isCurrent }) => isCurrent)!
  const revocation: Call = ['auth.revokeSession', { sessionId }, ada.accessToken]
  const statuses = await concurrentStatuses(
    revocation,
    ['auth.createToken', { name: 'ci', scope: 'admin' }, accessToken],
    ['auth.update', { email: null, password: `${password} 2` }, accessToken],
  )
  assert.deepEqual(statuses, [200, 401, 401])
  assert.deepEqual(
    (await berth.rows('token')).filter(({ kind }) => kind === 'api'),
    [],
  )
  await berth.login()
})
