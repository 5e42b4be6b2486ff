/**
 * Access to every operation with every kind of token. A refused call must write nothing. Prints the table of permitted
 * callers.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Access, isSignIn, type Scope } from '../src/api/access.ts'
import { methodOf, type Operation } from '../src/api/contract.ts'
import { kinds } from '../src/kinds/index.ts'
import { operations } from '../src/operations.ts'
import { insertAccount } from '../src/accounts/accounts.ts'
import { issueInvitation } from '../src/accounts/invitations.ts'
import { type IssuedToken, issueToken, type NewToken, sessionMs } from '../src/accounts/tokens.ts'
import type { Berth, Reply } from './fixtures/harness.ts'
import { startSweep } from './sweep-berth.ts'
import { completeInput, sampleOf } from './sweep-inputs.ts'

const callersWithoutToken = [
  'no token',
  'unknown token',
  'expired session',
  'expired token',
  'expired challenge',
  'expired invitation',
  'challenge without attempts',
  'revoked session',
  'revoked token',
  'session of removed account',
  'token of removed account',
] as const
const callersWithToken = [
  'installation',
  'invitation',
  'challenge',
  'user',
  'user read',
  'user deploy',
  'user admin',
  'admin',
  'admin read',
  'admin deploy',
  'admin admin',
] as const

type Caller = (typeof callersWithoutToken)[number] | (typeof callersWithToken)[number]

/** The callers of an operation that has the same access as that of `sampleKind`, which all callers call. */
const fewCallers: readonly Caller[] = ['no token', 'challenge', 'user read', 'user deploy', 'admin deploy', 'admin']

const callersOf = (operation: Operation): readonly Caller[] =>
  sampleOf(operation) === undefined ? [...callersWithoutToken, ...callersWithToken] : fewCallers

/**
 * The callers that each access permits. Other callers with a valid token get 403, and callers without one get 401.
 * `user` and `admin` are sessions. `user read` and similar names are API tokens of that scope.
 */
const allowedCallers: Record<Access, readonly Caller[]> = {
  anyone: [...callersWithoutToken, ...callersWithToken],
  createAdmin: callersWithToken.filter((it) => !['invitation', 'challenge'].includes(it)),
  createUser: callersWithToken.filter((it) => it !== 'challenge'),
  login: [...callersWithToken.filter((it) => !['invitation', 'challenge'].includes(it)), 'expired session'],
  secondFactor: ['challenge'],
  'user:read': ['user', 'user read', 'user deploy', 'user admin', 'admin', 'admin read', 'admin deploy', 'admin admin'],
  'user:deploy': ['user', 'user deploy', 'user admin', 'admin', 'admin deploy', 'admin admin'],
  'user:admin': ['user', 'user admin', 'admin', 'admin admin'],
  'user:session': ['user', 'admin'],
  'admin:read': ['admin', 'admin read', 'admin deploy', 'admin admin'],
  'admin:admin': ['admin', 'admin admin'],
  'admin:session': ['admin'],
}

const expectedOf = (access: Access, caller: Caller) => {
  if (allowedCallers[access].includes(caller)) return ''
  return callersWithoutToken.some((it) => it === caller) ? 401 : 403
}

/** Functions that create the token of each caller. Each call needs a new token, because some calls end their token. */
function tokensOn(berth: Berth): Record<Caller, () => Promise<string | null>> {
  const { app } = berth
  const [now, longAgo] = [app.now(), new Date(app.now().getTime() - sessionMs)]
  const admin = async () => (await berth.admin()).id
  const user = async () => (await berth.user()).id
  const issue = async (
    accountId: () => Promise<string>,
    overrides: Partial<NewToken>,
    at = now,
  ): Promise<IssuedToken> => {
    const fields = {
      kind: 'session',
      accountId: await accountId(),
      id: app.newId(),
      address: '',
      ...overrides,
    } as const
    return app.transact((tx) => issueToken(tx, fields, at))
  }
  const session =
    (accountId: () => Promise<string>, at = now) =>
    async () =>
      (await issue(accountId, {}, at)).token
  const api = (accountId: () => Promise<string>, scope: Scope) => async () =>
    (await issue(accountId, { kind: 'api', scope })).token
  const revoked = (overrides: Partial<NewToken>) => async () => {
    const { token, row } = await issue(admin, overrides)
    await app.transact((tx) => tx.deleteFrom('token').where('id', '=', row.id).execute())
    return token
  }
  const anyApi = { kind: 'api', scope: 'admin' } as const
  return {
    'no token': async () => null,
    'unknown token': async () => 'berth_sess_unknown',
    'expired session': session(admin, longAgo),
    'expired token': async () => (await issue(admin, { ...anyApi, expiresAt: longAgo.toISOString() })).token,
    'expired challenge': async () => (await issue(admin, { kind: 'challenge' }, longAgo)).token,
    'expired invitation': () => invitationToken(berth, longAgo),
    'challenge without attempts': async () => exhausted(berth, await issue(admin, { kind: 'challenge' })),
    'revoked session': revoked({}),
    'revoked token': revoked(anyApi),
    'session of removed account': () => tokenOfRemovedAccount(berth, {}),
    'token of removed account': () => tokenOfRemovedAccount(berth, anyApi),
    installation: async () => berth.installation,
    invitation: () => invitationToken(berth, now),
    challenge: async () => (await issue(admin, { kind: 'challenge' })).token,
    user: session(user),
    'user read': api(user, 'read'),
    'user deploy': api(user, 'deploy'),
    'user admin': api(user, 'admin'),
    admin: session(admin),
    'admin read': api(admin, 'read'),
    'admin deploy': api(admin, 'deploy'),
    'admin admin': api(admin, 'admin'),
  }
}

async function invitationToken({ app, admin }: Berth, now: Date): Promise<string> {
  const fields = { id: app.newId(), email: `${app.newId()}@example.org`, invitedBy: (await admin()).id }
  return (await app.transact((tx) => issueInvitation(tx, { ...fields, rol: 'admin' }, now))).token
}

async function exhausted({ app }: Berth, { token, row }: IssuedToken): Promise<string> {
  await app.transact((tx) => tx.updateTable('token').set({ attempts: 5 }).where('id', '=', row.id).execute())
  return token
}

/** Creates a token of an administrator and then removes the administrator. */
async function tokenOfRemovedAccount({ app, call }: Berth, overrides: Partial<NewToken>): Promise<string> {
  const [id, now] = [app.newId(), app.now()]
  const { token } = await app.transact(async (tx) => {
    await insertAccount(tx, { id, email: `${id}@example.org`, passwordHash: '', rol: 'admin' }, now)
    return issueToken(tx, { kind: 'session', accountId: id, id: app.newId(), address: '', ...overrides }, now)
  })
  assert.equal((await call('user.remove', { userId: id })).status, 200)
  return token
}

test('each operation permits exactly the callers of its access', async (t) => {
  const rows: string[] = []
  await using sweep = await startSweep()
  for (const operation of operations) {
    await using berth = await sweep.start()
    const { name, access } = operation
    const allowed: string[] = []
    for (const caller of callersOf(operation)) {
      const token = await tokensOn(berth)[caller]()
      const before = berth.stored()
      const reply = await berth.call(name, completeInput(operation, sweep.known), token)
      const refused = isAccessRefusal(reply) ? reply.status : ''
      assert.equal(refused, expectedOf(access, caller), `${name} by ${caller}: ${JSON.stringify(reply.body)}`)
      if (refused === '') {
        allowed.push(caller)
        continue
      }
      assert.equal(reply.headers['www-authenticate'], reply.status === 401 ? 'Bearer' : undefined)
      assert.equal(berth.stored(), before, `${name} by ${caller} wrote`)
    }
    rows.push(`${name.padEnd(26)} ${access.padEnd(13)} ${allowed.join(', ')}`)
  }
  t.diagnostic(`permitted callers:\n${rows.join('\n')}`)
})

test('an operation has the same access for every kind of database', () => {
  const pairs = operations.map((operation) => [operation, sampleOf(operation)] as const)
  const repeated = pairs.filter(([, sample]) => sample !== undefined)
  assert.ok(repeated.length > kinds.length)
  for (const [{ name, access }, sample] of repeated) assert.equal(access, sample!.access, name)
})

/** The only POST operations that a token of scope `deploy` can call. */
const deployments = [
  ...kinds.flatMap(({ name }) => ['deploy', 'start', 'stop', 'reload'].map((verb) => `${name}.${verb}`)),
  ...kinds.flatMap(({ manualBackup }) => (manualBackup === undefined ? [] : [`backup.${manualBackup}`])),
  // A drill restores a backup on a temporary server and changes no database.
  'backup.verify',
  // This operation changes nothing.
  'auth.verifyToken',
]

test('a token of scope deploy can only deploy, start, stop, reload and run backups', () => {
  const changing = operations.filter((it) => methodOf(it) === 'POST' && !isSignIn(it.access))
  const allowed = changing
    .filter(({ access }) => allowedCallers[access].includes('user deploy'))
    .map(({ name }) => name)
  assert.deepEqual(allowed.toSorted(), deployments.toSorted())
})

/**
 * Whether the access check refused the call. A wrong password, code or invitation gets 401 too, and a call without its
 * confirmation gets 403.
 */
const isAccessRefusal = ({ status, body }: Reply) =>
  (status === 403 && body.reason !== 'SecondFactorMissing') ||
  (status === 401 && /^(The token is missing|This token has expired)/.test(String(body.message)))
