/**
 * Who may call what, over every operation and every sort of token; and that whoever may not has written nothing. Prints
 * the table.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Access, isSignIn, type Scope } from '../src/api/access.ts'
import { methodOf } from '../src/api/contract.ts'
import { kinds } from '../src/kinds/index.ts'
import { operations } from '../src/operations.ts'
import { insertAccount } from '../src/accounts/accounts.ts'
import { issueInvitation } from '../src/accounts/invitations.ts'
import { type IssuedToken, issueToken, type NewToken, sessionMs } from '../src/accounts/tokens.ts'
import type { Berth, Reply } from './fixtures/harness.ts'
import { startSweep } from './sweep-berth.ts'
import { wholeInput } from './sweep-inputs.ts'

const strangers = [
  'nobody',
  'garbage',
  'ended session',
  'ended token',
  'ended challenge',
  'ended invitation',
  'used up challenge',
  'revoked session',
  'revoked token',
  'session of nobody now',
  'token of nobody now',
] as const
const holders = [
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

type Caller = (typeof strangers)[number] | (typeof holders)[number]

/**
 * The one table of access: who may call an operation of each access. Everybody else that holds a good token gets 403,
 * and who holds none 401. `user` and `admin` are sessions, with a second word API tokens of that scope.
 */
const mayCall: Record<Access, readonly Caller[]> = {
  createAdmin: holders.filter((it) => !['invitation', 'challenge'].includes(it)),
  createUser: holders.filter((it) => it !== 'challenge'),
  login: [...holders.filter((it) => !['invitation', 'challenge'].includes(it)), 'ended session'],
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
  if (mayCall[access].includes(caller)) return ''
  return strangers.some((it) => it === caller) ? 401 : 403
}

/** Makes the tokens anew for each call, for some calls end the token that they are made with. */
function tokensOn(berth: Berth): Record<Caller, () => Promise<string | null>> {
  const { app } = berth
  const [now, longAgo] = [app.now(), new Date(app.now().getTime() - sessionMs)]
  const admin = async () => (await berth.admin()).id
  const user = async () => (await berth.user()).id
  const make = async (whose: () => Promise<string>, more: Partial<NewToken>, at = now): Promise<IssuedToken> => {
    const asked = { kind: 'session', accountId: await whose(), id: app.newId(), address: '', ...more } as const
    return app.transact((tx) => issueToken(tx, asked, at))
  }
  const session =
    (whose: () => Promise<string>, at = now) =>
    async () =>
      (await make(whose, {}, at)).token
  const api = (whose: () => Promise<string>, scope: Scope) => async () =>
    (await make(whose, { kind: 'api', scope })).token
  const revoked = (more: Partial<NewToken>) => async () => {
    const { token, row } = await make(admin, more)
    await app.transact((tx) => tx.deleteFrom('token').where('id', '=', row.id).execute())
    return token
  }
  const anyApi = { kind: 'api', scope: 'admin' } as const
  return {
    nobody: async () => null,
    garbage: async () => 'berth_sess_garbage',
    'ended session': session(admin, longAgo),
    'ended token': async () => (await make(admin, { ...anyApi, expiresAt: longAgo.toISOString() })).token,
    'ended challenge': async () => (await make(admin, { kind: 'challenge' }, longAgo)).token,
    'ended invitation': () => invited(berth, longAgo),
    'used up challenge': async () => usedUp(berth, await make(admin, { kind: 'challenge' })),
    'revoked session': revoked({}),
    'revoked token': revoked(anyApi),
    'session of nobody now': () => ofRemoved(berth, {}),
    'token of nobody now': () => ofRemoved(berth, anyApi),
    installation: async () => berth.installation,
    invitation: () => invited(berth, now),
    challenge: async () => (await make(admin, { kind: 'challenge' })).token,
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

async function invited({ app, admin }: Berth, now: Date): Promise<string> {
  const asked = { id: app.newId(), email: `${app.newId()}@example.org`, invitedBy: (await admin()).id }
  return (await app.transact((tx) => issueInvitation(tx, { ...asked, rol: 'admin' }, now))).token
}

async function usedUp({ app }: Berth, { token, row }: IssuedToken): Promise<string> {
  await app.transact((tx) => tx.updateTable('token').set({ attempts: 5 }).where('id', '=', row.id).execute())
  return token
}

/** Of an administrator who has been removed since. */
async function ofRemoved({ app, call }: Berth, more: Partial<NewToken>): Promise<string> {
  const [id, now] = [app.newId(), app.now()]
  const { token } = await app.transact(async (tx) => {
    await insertAccount(tx, { id, email: `${id}@example.org`, passwordHash: '', rol: 'admin' }, now)
    return issueToken(tx, { kind: 'session', accountId: id, id: app.newId(), address: '', ...more }, now)
  })
  assert.equal((await call('user.remove', { userId: id })).status, 200)
  return token
}

test('each operation opens to whom its access says, and to nobody else', async (t) => {
  const rows: string[] = []
  await using sweep = await startSweep()
  for (const operation of operations) {
    await using berth = await sweep.start()
    const { name, access } = operation
    const open: string[] = []
    for (const caller of [...strangers, ...holders]) {
      const token = await tokensOn(berth)[caller]()
      const before = berth.stored()
      const reply = await berth.call(name, wholeInput(operation, sweep.known), token)
      const refused = isAtTheDoor(reply) ? reply.status : ''
      assert.equal(refused, expectedOf(access, caller), `${name} by ${caller}: ${JSON.stringify(reply.body)}`)
      if (refused === '') {
        open.push(caller)
        continue
      }
      assert.equal(reply.headers['www-authenticate'], reply.status === 401 ? 'Bearer' : undefined)
      assert.equal(berth.stored(), before, `${name} by ${caller} wrote`)
    }
    rows.push(`${name.padEnd(26)} ${access.padEnd(13)} ${open.join(', ')}`)
  }
  t.diagnostic(`who may:\n${rows.join('\n')}`)
})

/** Beside what can be read: the only operations that a token of scope `deploy` may call. */
const deployments = [
  ...kinds.flatMap(({ name }) => ['deploy', 'start', 'stop', 'reload'].map((verb) => `${name}.${verb}`)),
  ...kinds.flatMap(({ manualBackup }) => (manualBackup === undefined ? [] : [`backup.${manualBackup}`])),
  // A drill changes no database: it shows that a backup is good, in a server of its own.
  'backup.verify',
  // It changes nothing: whoever holds a token may ask what it is.
  'auth.verifyToken',
]

test('a token of scope deploy may deploy, start, stop, reload and run backups, and changes nothing else', () => {
  const changing = operations.filter((it) => methodOf(it) === 'POST' && !isSignIn(it.access))
  const open = changing.filter(({ access }) => mayCall[access].includes('user deploy')).map(({ name }) => name)
  assert.deepEqual(open.toSorted(), deployments.toSorted())
})

/** 401 is also what a wrong password, code or invitation gets, from whoever may try one. */
const isAtTheDoor = ({ status, body }: Reply) =>
  status === 403 || (status === 401 && /^(Missing or invalid token|This token has expired)/.test(String(body.message)))
