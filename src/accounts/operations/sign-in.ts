/** Signs in without a token: e-mail, password and, if the account has a second factor, a code. */
import { z } from 'zod'
import { action, type ActionContext } from '../../api/contract.ts'
import { refuse } from '../../errors.ts'
import type { AccountTable, Reader } from '../../store/schema.ts'
import { findByEmail, hasAccounts, keyOf } from '../accounts.ts'
import {
  accountCounter,
  countAttempt,
  forgetAttempts,
  passwordCounters,
  pinCounter,
  pinCounters,
  uncountAttempt,
} from '../attempts.ts'
import { Cookie, Email, Password, signIn, SignedIn } from '../fields.ts'
import { refuseCode, refuseLogin } from '../refusals.ts'
import { isRecoveryCode, acceptCode, Pin } from './second-factor.ts'

export const signInWithPassword = action({
  name: 'auth.signIn',
  summary: 'Sign in with e-mail, password and code, without a token',
  description:
    'Starts a session, which ends after 30 days, or after 7 days without use. An account with a second factor needs ' +
    '`code`. If the password is right and the code is missing, the answer is 401 with an issue for the field `code`. ' +
    'The waits after failed attempts grow.',
  access: 'anyone',
  worksWhileClosed: true,
  input: z.object({
    email: Email,
    password: Password,
    code: Pin.optional().describe('A code from the authenticator app, which can be used once, or a recovery code'),
    cookie: Cookie,
  }),
  output: SignedIn,
  refusals: ['FORBIDDEN', 'PRECONDITION_FAILED', 'TOO_MANY_REQUESTS'],
  async run(context, { email, password, code }) {
    await refuseWithoutAccounts(context.db)
    const account = await verifyPassword(context, email, password)
    if (account.is2FAEnabled === 0) return startSession(context, account, null)
    if (code === undefined) refuseMissingCode()
    return startSession(context, account, code)
  },
})

/** A new installation. A caller who knows nothing of it would otherwise search for a wrong password. */
async function refuseWithoutAccounts(db: Reader): Promise<void> {
  if (await hasAccounts(db)) return
  const message = 'There is no account yet. Create the first one with auth.createAdmin and the installation token'
  refuse('PRECONDITION_FAILED', message)
}

/** Verifies the password with the limits of auth.login. A right password resets the caller's limit for the account. */
async function verifyPassword(context: ActionContext, email: string, password: string): Promise<AccountTable> {
  const { db, transact, passwords, actor, now } = context
  const key = keyOf(email)
  const counted = await transact(async (tx) => countAttempt(tx, await passwordCounters(tx, key, actor, now()), now()))
  const account = await findByEmail(db, email)
  // Verified even without an account, so that the duration does not reveal whether it exists.
  const isCorrect = await passwords.verify(account?.passwordHash, password)
  if (account === undefined || !isCorrect) refuseLogin()
  return transact(async (tx) => {
    const current = await unchangedAccount(tx, account)
    await uncountAttempt(tx, counted)
    await forgetAttempts(tx, accountCounter(key, actor))
    return current
  })
}

/** Starts the session. Verifies the code, if the account has a second factor, with the limits of auth.verifyLogin2FA. */
async function startSession(context: ActionContext, account: AccountTable, code: string | null) {
  const { transact, conclude, vault, actor, now } = context
  // The password has proved the account, so the attempts count together with those of auth.verifyLogin2FA.
  const caller = { ...actor, accountId: account.id }
  const countersOf = (db: Reader) => pinCounters(db, account.id, caller, isRecoveryCode(code!), now())
  const counted = code === null ? [] : await transact(async (tx) => countAttempt(tx, await countersOf(tx), now()))
  return conclude(async (tx) => {
    const current = await unchangedAccount(tx, account)
    // The second factor was turned on since the password was verified.
    if (code === null && current.is2FAEnabled === 1) refuseMissingCode()
    if (code === null) return signIn(tx, current, context)
    if (!(await acceptCode(tx, vault, current, code, now()))) refuseCode()
    await uncountAttempt(tx, counted)
    await forgetAttempts(tx, pinCounter(account.id, caller))
    return signIn(tx, current, context, 1)
  })
}

/** The present row of the account. Refuses if its password has changed. */
async function unchangedAccount(db: Reader, { email, passwordHash }: AccountTable): Promise<AccountTable> {
  const current = await findByEmail(db, email)
  if (current?.passwordHash !== passwordHash) refuseLogin()
  return current
}

function refuseMissingCode(): never {
  const message = 'This account has a second factor: send a code of its authenticator app, or a recovery code'
  refuse('UNAUTHORIZED', message, { issues: [{ path: 'code', message: 'is needed' }] })
}
