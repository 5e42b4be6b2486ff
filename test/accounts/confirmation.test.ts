/** Dangerous calls need a code of the second factor, if the setting of the installation says so. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { operations } from '../../src/operations.ts'
import { unknownId } from '../sweep-inputs.ts'
import { minute, password, refusalOf, type Refused } from './auth-fixture.ts'
import { type Confirming, type DangerousCall, removal, startConfirming } from './confirmation-fixture.ts'

let team: Confirming
beforeEach(async () => {
  team = await startConfirming()
})
afterEach(() => team.berth.close())

const none = { email: null, password: null }
const as = () => team.ada.accessToken
const call = <T = Record<string, unknown>>(name: string, input: object, token = as()) =>
  team.berth.call<T>(name, { ...input }, token)
/** Asserts that a call is refused with FORBIDDEN for this reason. Returns the refusal. */
async function refused(reason: string, name: string, input: object, token = as()): Promise<Refused> {
  const refusal = (await team.berth.refused('FORBIDDEN', name, { ...input }, token)) as Refused & { reason: string }
  assert.equal(refusal.reason, reason, `${name}: ${refusal.message}`)
  return refusal
}
const notFound = (input: object, token = as()) =>
  team.berth.refused('NOT_FOUND', 'volume.remove', { ...removal, ...input }, token)

const member = { projectId: unknownId, accountId: unknownId }

const dangerousCalls: DangerousCall[] = [
  ...kinds.map(({ name, idField }): DangerousCall => {
    const id = { [idField]: unknownId }
    return [`${name}.remove`, { ...id, removeData: true }, { ...id, removeData: false }]
  }),
  ['volume.remove', removal],
  [
    'backup.restore',
    { runId: unknownId, postgresId: unknownId, confirm: 'shop-orders' },
    { runId: unknownId, appName: 'shop-copy' },
  ],
  ['registry.remove', { registryId: unknownId, force: true }, { registryId: unknownId }],
  ['cluster.removeWorker', { nodeId: 'unknown', force: true }, { nodeId: 'unknown', force: false }],
  [
    'cluster.updateNode',
    { nodeId: 'unknown', availability: 'drain', force: true },
    { nodeId: 'unknown', availability: 'drain' },
  ],
  ['auth.disable2FA', {}],
  ['auth.update', { ...none, is2FAEnabled: false }, none],
  ['auth.updateByAdmin', { ...none, id: unknownId }],
  ['user.invite', { email: 'cleo@example.org' }],
  ['user.update', { userId: unknownId, allProjects: true }],
  ['user.remove', { userId: unknownId }],
  ['backup.acceptShrink', { backupId: unknownId }],
  ['cluster.rotateTokens', { role: 'worker' }],
  [
    'project.addMember',
    { ...member, email: 'cleo@example.org', role: 'owner' },
    { ...member, email: 'cleo@example.org', role: 'viewer' },
  ],
  ['project.updateMember', { ...member, role: 'owner' }, { ...member, role: 'viewer' }],
  ['installation.updateSettings', { confirmDangerousCalls: false }],
]

test('the table has every operation whose calls can need a code', () => {
  assert.deepEqual(
    dangerousCalls.map(([name]) => name).toSorted(),
    operations
      .filter(({ confirmation }) => confirmation !== undefined)
      .map(({ name }) => name)
      .toSorted(),
  )
})

for (const [name, dangerous, harmless] of dangerousCalls) {
  test(`${name} is refused without a code, and with a wrong one`, async () => {
    const { issues, message } = await refused('ConfirmationMissing', name, dangerous)
    assert.deepEqual(
      issues.map(({ path }) => path),
      ['confirmationCode'],
    )
    assert.match(message, /^confirmationCode: is missing\. .*send a code of the authenticator app, or a recovery code$/)
    await refused('ConfirmationWrong', name, { ...dangerous, confirmationCode: 'abcdef' })
    if (harmless !== undefined) {
      const code = await call(name, harmless).then(
        () => 'OK',
        (error: Refused) => error.code,
      )
      assert.notEqual(code, 'FORBIDDEN', `${name} ${JSON.stringify(harmless)}`)
    }
  })
}

test('auth.updateByAdmin of the own account needs a code only to turn the second factor off', async () => {
  const own = { ...none, id: team.ada.account.id }
  await call('auth.updateByAdmin', { ...own, image: 'x' })
  await refused('ConfirmationMissing', 'auth.updateByAdmin', { ...own, is2FAEnabled: false })
})

test('while the setting is off, no call needs a code, except the change of the setting', async () => {
  await call('installation.updateSettings', { confirmDangerousCalls: false, confirmationCode: team.fresh() })
  for (const [name, dangerous] of dangerousCalls.filter(([each]) => !each.startsWith('auth.'))) {
    const refusal = await call(name, dangerous).then(
      () => null,
      (error: Refused) => error,
    )
    assert.equal(refusal?.code === 'FORBIDDEN', name === 'installation.updateSettings', name)
  }
})

test('a code that the call does not need is ignored and stays valid', async () => {
  const confirmationCode = team.fresh()
  await call('auth.update', { ...none, confirmationCode })
  await notFound({ confirmationCode })
  await call('auth.update', { ...none, image: 'x', confirmationCode: 'abcdef' })
})

test('a code can be used once: for one call or one sign-in', async () => {
  const confirmationCode = team.fresh()
  await call('user.invite', { email: 'cleo@example.org', confirmationCode })
  await refused('ConfirmationWrong', 'user.invite', { email: 'dan@example.org', confirmationCode })
  await assert.rejects(team.berth.signIn({ password, code: confirmationCode }))
  const code = team.fresh()
  await team.berth.signIn({ code })
  await refused('ConfirmationWrong', 'user.invite', { email: 'dan@example.org', confirmationCode: code })
})

test('of concurrent calls with one code, one is carried out', async () => {
  const confirmationCode = team.fresh()
  const emails = ['a', 'b', 'c', 'd'].map((name) => `${name}@example.org`)
  const ended = await Promise.allSettled(emails.map((email) => call('user.invite', { email, confirmationCode })))
  assert.deepEqual(ended.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected', 'rejected', 'rejected'])
  assert.equal((await team.berth.rows('invitation')).length, 1)
})

test('a recovery code confirms one call', async () => {
  const [confirmationCode] = team.factor.recoveryCodes
  await call('user.invite', { email: 'cleo@example.org', confirmationCode })
  await refused('ConfirmationWrong', 'user.invite', { email: 'dan@example.org', confirmationCode })
  assert.equal((await team.berth.rows('recoveryCode')).length, 9)
})

test('a call that is refused for another reason leaves its code unused and counts no attempt', async () => {
  const confirmationCode = team.fresh()
  for (let i = 0; i < 10; i++) await notFound({ confirmationCode })
  for (let i = 0; i < 3; i++) await notFound({ confirmationCode: team.factor.recoveryCodes[0] })
  assert.deepEqual(await team.berth.rows('attempt'), [])
  await call('user.invite', { email: 'cleo@example.org', confirmationCode })
})

test('wrong codes are counted together with those of sign-ins: after five, also the right one must wait', async () => {
  for (let i = 0; i < 4; i++)
    await refused('ConfirmationWrong', 'volume.remove', { ...removal, confirmationCode: 'abcdef' })
  const challenge = (await team.berth.login()) as unknown as { id: string; challengeToken: string }
  await team.berth.refused(
    'UNAUTHORIZED',
    'auth.verifyLogin2FA',
    { id: challenge.id, pin: 'abcdef' },
    challenge.challengeToken,
  )
  const right = { ...removal, confirmationCode: team.berth.codeOf(team.factor.secret, 1) }
  const { retryAfter } = await team.berth.refused('TOO_MANY_REQUESTS', 'volume.remove', right, as())
  assert.equal(retryAfter, '1')
  team.berth.pass(2000)
  await notFound(right)
})

test('attempts without a code are not counted', async () => {
  for (let i = 0; i < 20; i++) await refused('ConfirmationMissing', 'volume.remove', removal)
  assert.deepEqual(await team.berth.rows('attempt'), [])
})

describe('an account without a second factor', () => {
  test('is refused and told what to do, with a session and with an API token', async () => {
    const { token } = await call<{ token: string }>('auth.generateToken', {}, team.bob.accessToken)
    for (const [each, place] of [
      [team.bob.accessToken, / auth\.verify2FASetup, and repeat/],
      [token, / auth\.verify2FASetup in a session of your account, and repeat/],
    ] as const) {
      const { message } = await refused(
        'SecondFactorMissing',
        'volume.remove',
        { ...removal, confirmationCode: '123456' },
        each,
      )
      assert.match(message, place)
    }
  })

  test('turns one on in a new session only, so that a stolen session cannot get one', async () => {
    team.berth.pass(10 * minute)
    const { secret } = await call<{ secret: string }>('auth.generate2FASecret', {}, team.bob.accessToken)
    const setup = () => ({ secret, pin: team.berth.codeOf(secret) })
    const old = await refusalOf(call('auth.verify2FASetup', setup(), team.bob.accessToken))
    assert.equal(old.code, 'FORBIDDEN')
    assert.match(old.message, /signed in more than 10 minutes ago/)
    const { accessToken } = await team.berth.signIn({ email: 'bob@example.org' })
    await call('auth.verify2FASetup', setup(), accessToken)
    await notFound({ confirmationCode: team.berth.codeOf(secret, 1) }, accessToken)
  })
})

test('an API token uses the code of its account, not that of another account', async () => {
  const { token } = await call<{ token: string }>('auth.generateToken', {})
  await refused('ConfirmationMissing', 'volume.remove', removal, token)
  await notFound({ confirmationCode: team.fresh() }, token)
  const bobs = await team.berth.turnOn(team.bob.accessToken)
  const { token: other } = await call<{ token: string }>('auth.generateToken', {}, team.bob.accessToken)
  await refused('ConfirmationWrong', 'volume.remove', { ...removal, confirmationCode: team.fresh() }, other)
  await notFound({ confirmationCode: team.berth.codeOf(bobs.secret) }, other)
})

test('a repeated call with the same key needs no other code, and may have one', async () => {
  const key = { 'idempotency-key': 'one' }
  const invite = (confirmationCode?: string) =>
    team.berth.call('user.invite', { email: 'cleo@example.org', confirmationCode }, as(), key)
  const first = await invite(team.fresh())
  assert.deepEqual(await invite(team.fresh()), first)
  assert.deepEqual(await invite(), first)
  assert.equal((await team.berth.rows('invitation')).length, 1)
})

test('a repeated call whose stored answer is gone when it runs is refused without a code', async () => {
  const key = { 'idempotency-key': 'one' }
  const input = { email: 'cleo@example.org' }
  await team.berth.call('user.invite', { ...input, confirmationCode: team.fresh() }, as(), key)
  const { app } = team.berth
  const { transact, callConfirmation } = app
  // The answer goes away after the call was found to be a repeated one.
  app.callConfirmation = {
    ...callConfirmation,
    async isOn(db) {
      app.transact = async (work) => {
        app.transact = transact
        await transact((tx) => tx.deleteFrom('idempotency').execute())
        return transact(work)
      }
      return callConfirmation.isOn(db)
    },
  }
  const before = await team.berth.rows('invitation')
  const refusal = await refusalOf(team.berth.call('user.invite', input, as(), key))
  assert.deepEqual([refusal.code, (refusal as { reason?: string }).reason], ['FORBIDDEN', 'ConfirmationMissing'])
  assert.deepEqual(await team.berth.rows('invitation'), before)
})

test('the audit log says that a call was confirmed and with what, but not the code', async () => {
  const confirmationCode = team.fresh()
  await call('user.invite', { email: 'cleo@example.org', confirmationCode })
  await call('user.invite', { email: 'dan@example.org', confirmationCode: team.factor.recoveryCodes[1] })
  await refused('ConfirmationMissing', 'volume.remove', removal)
  const entries = await call<{ operation: string; result: string; details: unknown }[]>('audit.all', {
    order: 'desc',
    limit: 3,
  })
  assert.deepEqual(
    entries.map(({ operation, result, details }) => [operation, result, details]),
    [
      ['volume.remove', 'FORBIDDEN', null],
      ['user.invite', 'OK', { event: 'confirmed', factor: 'recoveryCode' }],
      ['user.invite', 'OK', { event: 'confirmed', factor: 'app' }],
    ],
  )
  assert.equal((await call<{ valid: boolean }>('audit.check', {})).valid, true)
  const stored = JSON.stringify([await team.berth.rows('audit'), await team.berth.everything()])
  for (const code of [`"${confirmationCode}"`, team.factor.recoveryCodes[1]!]) assert.ok(!stored.includes(code))
})
