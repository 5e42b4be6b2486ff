/** The audit log: one entry for each change and each refused change, without secrets. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { type Berth, password, refusalOf, type Session, startAuth } from '../accounts/auth-fixture.ts'

let berth: Berth
let ada: Session
beforeEach(async () => {
  berth = await startAuth()
  ada = await berth.createAdmin()
})
afterEach(() => berth.close())

type Entry = Record<'auditId' | 'operation' | 'result' | 'at' | 'hash', string> &
  Record<'record' | 'email' | 'accountId' | 'tokenId', string | null>

const all = async (input = {}) => (await berth.reply<Entry[]>('audit.all', input, ada.accessToken)).body
const call = (name: string, input: Record<string, unknown> = {}, as = ada.accessToken) =>
  berth.call<Record<string, string>>(name, input, as)

/** The entries that `work` adds to the log: operation, record and result. */
async function added(work: () => Promise<unknown>): Promise<(string | null)[][]> {
  const before = (await berth.rows('audit')).length
  await work()
  return (await berth.rows('audit'))
    .slice(before)
    .map(({ operation, record, result }) => [operation, record, result] as (string | null)[])
}

test('an entry contains caller, operation, record, time, address and result', async () => {
  const [sessionId] = (await berth.rows('token')).map(({ id }) => id)
  const { projectId } = await call('project.create', { name: 'shop' })
  const [first, second] = await all()
  const { hash, ...rest } = second!
  assert.match(hash, /^[0-9a-f]{64}$/)
  assert.deepEqual(rest, {
    auditId: '000000000002',
    at: '2030-01-01T00:00:00.000Z',
    kind: 'session',
    accountId: ada.account.id,
    email: 'Ada@Example.org',
    tokenId: sessionId,
    address: '127.0.0.1',
    operation: 'project.create',
    record: projectId,
    result: 'OK',
    details: null,
  })
  const { hash: _, ...entered } = first!
  assert.deepEqual(entered, {
    ...rest,
    auditId: '000000000001',
    kind: 'installation',
    accountId: null,
    email: null,
    tokenId: 'installation',
    operation: 'auth.createAdmin',
    record: ada.account.id,
  })
})

test('a change of an account, token or project adds one entry with its record', async () => {
  const none = { email: null, password: null }
  const bob: { id: string; as: string; email: string } = { id: '', as: '', email: 'bob@example.org' }
  const step = async (
    name: string,
    input: Record<string, unknown>,
    record: (answer: Record<string, string>) => unknown,
    as = ada.accessToken,
  ) => {
    let answer: Record<string, string> = {}
    const entries = await added(async () => {
      answer = await call(name, input, as)
    })
    assert.deepEqual(entries, [[name, record(answer), 'OK']], name)
    return answer
  }
  const { id, token } = await step('user.invite', { email: bob.email }, (answer) => answer.id)
  await step('user.revokeInvitation', { id }, () => id)
  const again = await step('user.invite', { email: bob.email }, (answer) => answer.id)
  assert.notEqual(again.token, token)
  const joined = (await step(
    'auth.createUser',
    { id: again.id, token: again.token, password },
    (answer) => (answer as unknown as Session).account.id,
    again.token,
  )) as unknown as Session
  ;[bob.id, bob.as] = [joined.account.id, joined.accessToken]
  await step('auth.login', { email: bob.email, password }, () => bob.id, berth.installationToken)
  const { secret } = await call('auth.generate2FASecret', {}, bob.as)
  await step('auth.verify2FASetup', { secret, pin: berth.codeOf(secret!, -1) }, () => bob.id, bob.as)
  const { challengeToken } = await step('auth.login', { email: bob.email, password }, () => bob.id, bob.as)
  await step('auth.verifyLogin2FA', { id: bob.id, pin: berth.codeOf(secret!) }, () => bob.id, challengeToken)
  await step('auth.disable2FA', {}, () => bob.id, bob.as)
  await step('auth.update', { ...none, image: 'x' }, () => bob.id, bob.as)
  await step('auth.updateByAdmin', { ...none, id: bob.id, image: 'y' }, () => bob.id)
  const { tokenId } = await step('auth.createToken', { name: 'ci', scope: 'read' }, (answer) => answer.tokenId, bob.as)
  await step('auth.revokeToken', { tokenId }, () => tokenId, bob.as)
  await step('auth.generateToken', {}, () => null, bob.as)
  await step('auth.logout', {}, () => bob.id, bob.as)
  await step('user.remove', { userId: bob.id }, () => bob.id)
  const { projectId } = await step('project.create', { name: 'shop' }, (answer) => answer.projectId)
  await step('project.update', { projectId, name: 'shop 2' }, () => projectId)
  await step('project.remove', { projectId }, () => projectId)
})

test('a refused call with a valid token adds one entry', async () => {
  const bob = await berth.join(ada.accessToken, 'bob@example.org')
  const { id, accessToken } = { id: bob.account.id, accessToken: bob.accessToken }
  const none = { email: null, password: null }
  const wrong = { email: 'Ada@example.org', password: 'wrong password' }
  type Refusal = [name: string, input: Record<string, unknown>, as: string, record: string | null, result: string]
  const refusals: Refusal[] = [
    ['auth.login', wrong, berth.installationToken, 'Ada@example.org', 'UNAUTHORIZED'],
    ['auth.createUser', { id: 'x', token: 'y', password }, berth.installationToken, 'x', 'UNAUTHORIZED'],
    ['auth.verify2FASetup', { secret: 'A'.repeat(32), pin: 'abcdef' }, accessToken, null, 'UNAUTHORIZED'],
    ['project.create', { name: 'shop' }, berth.installationToken, null, 'FORBIDDEN'],
    ['user.remove', { userId: id }, accessToken, null, 'FORBIDDEN'],
    ['user.remove', { userId: 'unknown' }, ada.accessToken, 'unknown', 'NOT_FOUND'],
    ['user.remove', { userId: ada.account.id }, ada.accessToken, ada.account.id, 'CONFLICT'],
    ['auth.createAdmin', wrong, ada.accessToken, 'Ada@example.org', 'CONFLICT'],
    ['auth.updateByAdmin', { ...none, id, email: 'ada@example.org' }, ada.accessToken, id, 'CONFLICT'],
    ['auth.disable2FA', {}, accessToken, null, 'PRECONDITION_FAILED'],
    ['project.remove', { projectId: 'unknown' }, accessToken, 'unknown', 'NOT_FOUND'],
  ]
  for (const [name, input, as, record, result] of refusals) {
    assert.deepEqual(await added(() => refusalOf(call(name, input, as))), [[name, record, result]])
  }
})

test('reads, malformed or limited calls, and calls without a valid token add no entry', async () => {
  const addsNothing = async (work: () => Promise<unknown>) => assert.deepEqual(await added(work), [])
  await addsNothing(() => call('user.all'))
  await addsNothing(() => call('auth.verifyToken'))
  await addsNothing(() => refusalOf(call('user.byUserId', { userId: 'unknown' })))
  await addsNothing(() => refusalOf(call('user.invitations', {}, berth.installationToken)))
  await addsNothing(() => refusalOf(call('project.create', { name: '' })))
  await addsNothing(() => refusalOf(call('auth.update', { email: null, password: null, rol: 'user' })))
  for (const as of ['', 'berth_sess_unknown'])
    await addsNothing(() => refusalOf(call('project.create', { name: 'x' }, as)))
  const wrong = { email: 'eve@example.org', password: 'wrong password' }
  for (let i = 0; i < 10; i++) await refusalOf(call('auth.login', wrong))
  await addsNothing(() => refusalOf(call('auth.login', wrong)))
  berth.pass(8 * 24 * 3600_000)
  await addsNothing(() => refusalOf(call('project.create', { name: 'x' })))
})

test('a change that is rolled back adds only the entry of its refusal', async () => {
  const input = { email: null, password: 'a new password', image: 'x', is2FAEnabled: true }
  const entries = await added(() => berth.refused('BAD_REQUEST', 'auth.update', input, ada.accessToken))
  assert.deepEqual(entries, [])
  const demotion = { id: ada.account.id, email: null, password: 'a new password', rol: 'user' }
  const conflict = await added(() => berth.refused('CONFLICT', 'auth.updateByAdmin', demotion, ada.accessToken))
  assert.deepEqual(conflict, [['auth.updateByAdmin', ada.account.id, 'CONFLICT']])
})

test('repeated calls with one Idempotency-Key add one entry, for commands and actions', async () => {
  const headers = { 'idempotency-key': 'one' }
  const update = { email: null, password: null, image: 'x' }
  for (const [name, input] of [
    ['project.create', { name: 'shop' }],
    ['auth.update', update],
  ] as const) {
    const twice = await added(async () => {
      for (let i = 0; i < 3; i++) await berth.call(name, input, ada.accessToken, headers)
    })
    assert.deepEqual(
      twice.map(([operation, , result]) => [operation, result]),
      [[name, 'OK']],
    )
  }
  const other = await added(() => refusalOf(berth.call('project.create', { name: 'other' }, ada.accessToken, headers)))
  assert.deepEqual(other, [['project.create', null, 'UNPROCESSABLE_CONTENT']])
})

test('no entry contains a correct or wrong password, token, code or shared secret', async () => {
  const typed = 'a wrong password that is nearly right'
  await refusalOf(call('auth.login', { email: 'ada@example.org', password: typed }))
  const bob = await call('user.invite', { email: 'bob@example.org' })
  await refusalOf(call('auth.createUser', { id: bob.id, token: 'a wrong token', password: typed }))
  const joinParameters = { id: bob.id, token: bob.token, password }
  const { accessToken } = await berth.call<Session>('auth.createUser', joinParameters, bob.token!)
  const { secret, recoveryCodes } = await berth.turnOn(accessToken)
  const { challengeToken, id } = await call('auth.login', { email: 'bob@example.org', password })
  const pins = ['918273', recoveryCodes[0]!]
  await refusalOf(call('auth.verifyLogin2FA', { id, pin: pins[0] }, challengeToken))
  await call('auth.verifyLogin2FA', { id, pin: pins[1] }, challengeToken)
  const { token } = await call('auth.generateToken')
  await call('auth.update', { email: null, password: typed })
  const text = JSON.stringify([await berth.rows('audit'), await all()])
  const secrets = [typed, password, 'a wrong token', secret, ...recoveryCodes, pins[0]!]
  const bearers = [ada.accessToken, accessToken, bob.token!, challengeToken!, token!, berth.installationToken]
  for (const each of [...secrets, ...bearers.map((answer) => answer.replace(/^berth_[a-z0-9]+_/, ''))]) {
    assert.ok(!text.includes(each), each)
  }
})

test('does not record the token of an invitation that was sent as its id', async () => {
  const { id, token } = await call('user.invite', { email: 'bob@example.org' })
  const mixed = { id: token, token: id, password }
  const entries = await added(() => refusalOf(call('auth.createUser', mixed, berth.installationToken)))
  assert.deepEqual(entries, [['auth.createUser', null, 'UNAUTHORIZED']])
})

test('audit.all filters by account, record, operation, result and time, and is paged', async () => {
  const bob = await berth.join(ada.accessToken, 'bob@example.org')
  berth.pass(3600_000)
  const { projectId } = await call('project.create', { name: 'shop' }, bob.accessToken)
  await call('project.update', { projectId, name: 'shop 2' })
  const names = async (input: object) => (await all(input)).map(({ operation }) => operation)
  const complete = await names({})
  assert.deepEqual(complete, ['auth.createAdmin', 'user.invite', 'auth.createUser', 'project.create', 'project.update'])
  assert.deepEqual(await names({ accountId: bob.account.id }), ['project.create'])
  assert.deepEqual(await names({ record: projectId }), ['project.create', 'project.update'])
  assert.deepEqual(await names({ operation: 'project.update' }), ['project.update'])
  assert.deepEqual(await names({ record: projectId, result: 'OK' }), ['project.create', 'project.update'])
  assert.deepEqual(await names({ result: 'FORBIDDEN' }), [])
  assert.deepEqual(await names({ record: projectId, accountId: ada.account.id }), ['project.update'])
  for (const since of ['2030-01-01T01:00:00Z', '2030-01-01T02:00:00+01:00', '5m']) {
    assert.deepEqual(await names({ since }), ['project.create', 'project.update'])
  }
  assert.deepEqual(await names({ since: '2030-01-01T01:00:00.001Z' }), [])
  const paged: string[] = []
  let cursor: string | undefined
  do {
    const input = { limit: 2, ...(cursor === undefined ? {} : { cursor }) }
    const { body, headers } = await berth.reply<Entry[]>('audit.all', input, ada.accessToken)
    paged.push(...body.map(({ operation }) => operation))
    cursor = headers['berth-next-cursor']
  } while (cursor !== undefined)
  assert.deepEqual(paged, complete)
  for (const wrong of [{ cursor: 'x' }, { cursor: '-1' }, { limit: 0 }, { limit: 1001 }, { since: 'now' }]) {
    await berth.refused('BAD_REQUEST', 'audit.all', wrong, ada.accessToken)
  }
})

test('an entry keeps the e-mail of the time of the call, also after the account was removed', async () => {
  const bob = await berth.join(ada.accessToken, 'bob@example.org')
  await call('auth.update', { email: 'robert@example.org', password: null }, bob.accessToken)
  await call('project.create', { name: 'shop' }, bob.accessToken)
  await call('user.remove', { userId: bob.account.id })
  const bobEntries = await all({ accountId: bob.account.id })
  assert.deepEqual(
    bobEntries.map(({ email, operation }) => [email, operation]),
    [
      ['bob@example.org', 'auth.update'],
      ['robert@example.org', 'project.create'],
    ],
  )
})

test('records at most 100 refusals of a token per hour, and every change', async () => {
  const refused = (as: string) => refusalOf(call('project.remove', { projectId: 'none' }, as))
  const { accessToken: other } = await berth.login()
  const entries = await added(async () => {
    for (let i = 0; i < 130; i++) await refused(ada.accessToken)
    await refused(other)
    await call('project.create', { name: 'shop' })
  })
  assert.equal(entries.filter(([, , result]) => result === 'NOT_FOUND').length, 101)
  assert.equal(entries.at(-1)![2], 'OK')
})
