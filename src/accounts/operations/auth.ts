/** Operations that create accounts, sign in and out, and read accounts. */
import { z } from 'zod'
import { action, type ActionContext, command, query } from '../../api/contract.ts'
import { refuse } from '../../errors.ts'
import { findByEmail, insertAccount, keyOf } from '../accounts.ts'
import {
  accountCounter,
  callerCounter,
  countAttempt,
  forgetAttempts,
  invitationCounter,
  passwordCounters,
  uncountAttempt,
} from '../attempts.ts'
import { useInvitation } from '../invitations.ts'
import { refuseLogin } from '../refusals.ts'
import type { AccountTable, Writer } from '../../store/schema.ts'
import { deleteToken, issueToken } from '../tokens.ts'
import {
  Account,
  Cookie,
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
import { answeredIdOf, idOf } from '../../api/fields.ts'

export const createAdmin = action({
  name: 'auth.createAdmin',
  summary: 'Create the first account, an administrator',
  description: 'Also signs in. Answers 409 if an account exists already.',
  access: 'createAdmin',
  input: z.object({ email: Email, password: NewPassword, cookie: Cookie }),
  output: SignedIn,
  refusals: ['FORBIDDEN', 'CONFLICT', 'TOO_MANY_REQUESTS'],
  async run(context, { email, password }) {
    const { transact, conclude, passwords, actor, now, newId } = context
    const counted = await transact(async (tx) => {
      await refuseSecondAdmin(tx)
      return countAttempt(tx, [callerCounter(actor)], now())
    })
    const passwordHash = await passwords.hash(password)
    return conclude(async (tx) => {
      // Another call may have created an account while the password was hashed.
      await refuseSecondAdmin(tx)
      await uncountAttempt(tx, counted)
      const account = await insertAccount(tx, { id: newId(), email, passwordHash, rol: 'admin' }, now())
      return signIn(tx, account, context)
    })
  },
})

export const createUser = action({
  name: 'auth.createUser',
  summary: 'Create the account of an invitation',
  description:
    'Also signs in. `id` and `token` come from the answer of user.invite. An invitation can be used once, within 7 ' +
    'days.',
  access: 'createUser',
  input: z.object({
    password: NewPassword,
    id: idOf('invitation'),
    token: z
      .string()
      .min(1, 'must not be empty')
      .max(512)
      .describe('Token of the invitation, as user.invite answered it'),
    cookie: Cookie,
  }),
  output: SignedIn,
  refusals: ['FORBIDDEN', 'TOO_MANY_REQUESTS'],
  async run(context, { password, id, token }) {
    const { transact, conclude, passwords, actor, now, newId } = context
    const invitationAttempts = invitationCounter(id, actor)
    const counted = await transact((tx) => countAttempt(tx, [invitationAttempts, callerCounter(actor)], now()))
    // The password is hashed before the invitation is read, so that the duration does not reveal whether it exists.
    const passwordHash = await passwords.hash(password)
    return conclude(async (tx) => {
      const invitation = (await useInvitation(tx, id, token, now())) ?? refuseInvitation()
      // The answer must not reveal that the e-mail is taken.
      if ((await findByEmail(tx, invitation.email)) !== undefined) refuseInvitation()
      await uncountAttempt(tx, counted)
      await forgetAttempts(tx, invitationAttempts)
      const { email, rol } = invitation
      const account = await insertAccount(tx, { id: newId(), email, passwordHash, rol }, now())
      return signIn(tx, account, context)
    })
  },
})

const Challenge = z.object({
  twoFactorRequired: z.literal(true).describe('Always true: the sign-in needs a code'),
  id: z.string().describe('Id of the account, for auth.verifyLogin2FA'),
  challengeToken: z.string().describe('Shown once. The bearer token for auth.verifyLogin2FA; other calls refuse it'),
  expiresAt: z.string().describe('When the challengeToken expires, 5 minutes after this call'),
})

export const login = action({
  name: 'auth.login',
  summary: 'Sign in with e-mail and password',
  description:
    'Starts a new session. The session ends after 30 days, or after 7 days without use. If the account has a second ' +
    'factor, the answer contains a challengeToken instead of a session. Send the challengeToken to ' +
    'auth.verifyLogin2FA: it is valid for 5 minutes and 5 codes. After several failed attempts you must wait before ' +
    'the next one, each time longer.',
  access: 'login',
  worksWhileClosed: true,
  input: z.object({ email: Email, password: Password, cookie: Cookie }),
  output: z.union([SignedIn, Challenge]),
  refusals: ['FORBIDDEN', 'TOO_MANY_REQUESTS'],
  async run(context, { email, password }) {
    const { db, transact, conclude, passwords, actor, now } = context
    const key = keyOf(email)
    const counted = await transact(async (tx) => countAttempt(tx, await passwordCounters(tx, key, actor, now()), now()))
    const account = await findByEmail(db, email)
    // A password is verified even without an account, so that the duration does not reveal whether it exists.
    const isCorrect = await passwords.verify(account?.passwordHash, password)
    if (account === undefined || !isCorrect) refuseLogin()
    return conclude(async (tx) => {
      const current = await findByEmail(tx, email)
      if (current?.passwordHash !== account.passwordHash) refuseLogin()
      await uncountAttempt(tx, counted)
      await forgetAttempts(tx, accountCounter(key, actor))
      return current.is2FAEnabled === 1 ? startChallenge(tx, current, context) : signIn(tx, current, context)
    })
  },
})

async function startChallenge(tx: Writer, { id }: AccountTable, { actor, now, newId }: ActionContext) {
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
  summary: 'Read an account; only administrators can read accounts other than their own',
  access: 'user:read',
  input: z.object({ id: idOf('account') }),
  output: Account,
  refusals: ['NOT_FOUND'],
  tag: { observed: [] },
  async run({ db, actor, addToTag }, { id }) {
    const account = await visibleAccount(db, actor, id)
    addToTag(account.passwordHash)
    return toAccount(account)
  },
})

export const logout = command({
  name: 'auth.logout',
  summary: 'End the session that this call is made with',
  description:
    'Other sessions and the API tokens of the account stay. If the session is in a cookie, the answer removes the cookie.',
  access: 'user:session',
  worksWhileClosed: true,
  input: z.object({}),
  output: z.object({
    accountId: answeredIdOf('account'),
    kind: z.literal('session').describe('Type of the token that has ended'),
    endedAt: z.string().describe('When the session ended'),
  }),
  async run({ tx, actor, now, endCookieSession }) {
    await deleteToken(tx, actor.tokenId)
    endCookieSession()
    return { accountId: actor.accountId, kind: 'session' as const, endedAt: now().toISOString() }
  },
})

export const verifyToken = action({
  name: 'auth.verifyToken',
  summary: 'Verify the token of this call and read its account and rights',
  access: 'user:read',
  worksWhileClosed: true,
  input: z.object({}),
  output: z.object({
    valid: z.literal(true).describe('Always true: a call with an invalid token answers 401'),
    accountId: answeredIdOf('account'),
    rol: Rol,
    kind: z.enum(['session', 'api']).describe('Type of the token: a session or an API token'),
    scope: Scope.nullable().describe('Scope of an API token; null for a session'),
    expiresAt: z
      .string()
      .nullable()
      .describe('When the token expires. Null: it is valid until it is replaced or revoked'),
  }),
  async run({ actor: { accountId, rol, kind, scope, expiresAt } }) {
    if (rol === 'none' || (kind !== 'session' && kind !== 'api'))
      throw new Error('access user:read admits only sessions and API tokens')
    return { valid: true as const, accountId, rol, kind, scope, expiresAt }
  },
})

function refuseInvitation(): never {
  refuse('UNAUTHORIZED', 'This invitation is invalid, expired or already used. Ask an administrator for a new one')
}

async function refuseSecondAdmin(tx: Writer) {
  const account = await tx.selectFrom('account').select('id').limit(1).executeTakeFirst()
  if (account !== undefined) refuse('CONFLICT', 'An administrator exists already. Sign in with auth.login')
}
