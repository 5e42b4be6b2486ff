/** Accounts signing in and out, and the tokens that they hold. Knows no header: who calls is the context's actor. */
import { z } from 'zod'
import { action, type ActionContext, command, query } from '../../api/contract.ts'
import { refuse } from '../../errors.ts'
import { findByEmail, insertAccount, keyOf } from '../accounts.ts'
import {
  accountGuesser,
  callerGuesser,
  countTry,
  forgetTries,
  invitationGuesser,
  passwordGuessers,
  uncountAttempt,
} from '../attempts.ts'
import { useInvitation } from '../invitations.ts'
import type { AccountTable, Writer } from '../../store/schema.ts'
import { deleteToken, issueToken } from '../tokens.ts'
import {
  Account,
  Email,
  NewPassword,
  ownAccount,
  Password,
  Rol,
  Scope,
  signIn,
  SignedIn,
  toAccount,
  visibleAccount,
} from '../fields.ts'
import { Id } from '../../api/fields.ts'

export const createAdmin = action({
  name: 'auth.createAdmin',
  summary: 'Make the first account, the administrator',
  description: 'Once: when there is an account, this is 409. It signs in as well.',
  access: 'createAdmin',
  input: z.object({ email: Email, password: NewPassword }),
  output: SignedIn,
  refusals: ['CONFLICT', 'TOO_MANY_REQUESTS'],
  async run({ transact, conclude, passwords, actor, now, newId }, { email, password }) {
    const counted = await transact(async (tx) => {
      await refuseSecond(tx)
      return countTry(tx, [callerGuesser(actor)], now())
    })
    const passwordHash = await passwords.hash(password)
    return conclude(async (tx) => {
      // Another call may have made it while this one hashed.
      await refuseSecond(tx)
      await uncountAttempt(tx, counted)
      const account = await insertAccount(tx, { id: newId(), email, passwordHash, rol: 'admin' }, now())
      return signIn(tx, account, { id: newId(), address: actor.address }, now())
    })
  },
})

export const createUser = action({
  name: 'auth.createUser',
  summary: 'Make the account that an invitation is for',
  description:
    'Once for each invitation, within 7 days. `id` and `token` are those that user.invite answered. ' +
    'It signs in as well.',
  access: 'createUser',
  input: z.object({ password: NewPassword, id: Id, token: z.string().min(1, 'must not be empty').max(512) }),
  output: SignedIn,
  refusals: ['TOO_MANY_REQUESTS'],
  async run({ transact, conclude, passwords, actor, now, newId }, { password, id, token }) {
    const who = invitationGuesser(id, actor)
    const counted = await transact((tx) => countTry(tx, [who, callerGuesser(actor)], now()))
    // Before anything depends on whether there is such an invitation: the work is the same.
    const passwordHash = await passwords.hash(password)
    return conclude(async (tx) => {
      const invitation = (await useInvitation(tx, id, token, now())) ?? refuseInvitation()
      // A taken e-mail gets the answer of any refused one.
      if ((await findByEmail(tx, invitation.email)) !== undefined) refuseInvitation()
      await uncountAttempt(tx, counted)
      await forgetTries(tx, who)
      const { email, rol } = invitation
      const account = await insertAccount(tx, { id: newId(), email, passwordHash, rol }, now())
      return signIn(tx, account, { id: newId(), address: actor.address }, now())
    })
  },
})

const Challenge = z.object({
  twoFactorRequired: z.literal(true),
  id: z.string().describe('The account, for auth.verifyLogin2FA'),
  challengeToken: z.string().describe('Shown once. The bearer of auth.verifyLogin2FA, and of nothing else'),
  expiresAt: z.string(),
})

export const login = action({
  name: 'auth.login',
  summary: 'Sign in with e-mail and password',
  description:
    'Each call gives a session of its own: 30 days, or 7 without use. An account with a second factor gets ' +
    'a challengeToken instead, good for 5 minutes and 5 codes: auth.verifyLogin2FA takes it. After wrong tries, ' +
    'waits grow.',
  access: 'login',
  input: z.object({ email: Email, password: Password }),
  output: z.union([SignedIn, Challenge]),
  refusals: ['TOO_MANY_REQUESTS'],
  async run(context, { email, password }) {
    const { db, transact, conclude, passwords, actor, now } = context
    const key = keyOf(email)
    const counted = await transact(async (tx) => countTry(tx, await passwordGuessers(tx, key, actor, now()), now()))
    const account = await findByEmail(db, email)
    // Before anything depends on whether there is an account: the work is the same for both.
    const fits = await passwords.verify(account?.passwordHash, password)
    if (account === undefined || !fits) refuseLogin()
    return conclude(async (tx) => {
      const present = await findByEmail(tx, email)
      if (present?.passwordHash !== account.passwordHash) refuseLogin()
      await uncountAttempt(tx, counted)
      await forgetTries(tx, accountGuesser(key, actor))
      return present.is2FAEnabled === 1 ? challenge(tx, present, context) : enter(tx, present, context)
    })
  },
})

type Signing = Pick<ActionContext, 'actor' | 'now' | 'newId'>

const enter = (tx: Writer, account: AccountTable, { actor, now, newId }: Signing) =>
  signIn(tx, account, { id: newId(), address: actor.address }, now())

async function challenge(tx: Writer, { id }: AccountTable, { actor, now, newId }: Signing) {
  const { token, row } = await issueToken(
    tx,
    { id: newId(), kind: 'challenge', accountId: id, address: actor.address },
    now(),
  )
  return { twoFactorRequired: true as const, id, challengeToken: token, expiresAt: row.expiresAt! }
}

export const get = query({
  name: 'auth.get',
  summary: 'Read your own account',
  access: 'user:read',
  input: z.object({}),
  output: Account,
  run: async ({ db, actor }) => toAccount(await ownAccount(db, actor)),
})

export const one = query({
  name: 'auth.one',
  summary: 'Read an account; whoever is no administrator sees the own one alone',
  access: 'user:read',
  input: z.object({ id: Id }),
  output: Account,
  refusals: ['NOT_FOUND'],
  run: async ({ db, actor }, { id }) => toAccount(await visibleAccount(db, actor, id)),
})

export const logout = command({
  name: 'auth.logout',
  summary: 'End the session that this call is made with',
  description: 'Other sessions and the API tokens of the account stay.',
  access: 'user:session',
  input: z.object({}),
  output: z.object({ accountId: z.string(), kind: z.literal('session'), endedAt: z.string() }),
  async run({ tx, actor, now }) {
    await deleteToken(tx, actor.tokenId)
    return { accountId: actor.accountId, kind: 'session' as const, endedAt: now().toISOString() }
  },
})

export const verifyToken = action({
  name: 'auth.verifyToken',
  summary: 'Ask whether the token that this call is made with is good, and whose it is',
  access: 'user:read',
  input: z.object({}),
  output: z.object({
    valid: z.literal(true),
    accountId: z.string(),
    rol: Rol,
    kind: z.enum(['session', 'api']),
    scope: Scope.nullable().describe('Of an API token; null for a session'),
    expiresAt: z.string().nullable().describe('Null: until it is replaced or revoked'),
  }),
  async run({ actor: { accountId, rol, kind, scope, expiresAt } }) {
    if (rol === 'none' || (kind !== 'session' && kind !== 'api')) throw new Error('access lets no other token in here')
    return { valid: true as const, accountId, rol, kind, scope, expiresAt }
  },
})

function refuseLogin(): never {
  refuse('UNAUTHORIZED', 'Wrong e-mail or password')
}

function refuseInvitation(): never {
  refuse('UNAUTHORIZED', 'This invitation is invalid, expired or already used. Ask an administrator for a new one')
}

async function refuseSecond(tx: Writer) {
  const account = await tx.selectFrom('account').select('id').limit(1).executeTakeFirst()
  if (account !== undefined) refuse('CONFLICT', 'There is an administrator already. Sign in with auth.login')
}
