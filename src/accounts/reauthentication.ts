/**
 * Reauthentication: a change of e-mail or password needs a sign-in within the last ten minutes, or the current password
 * and, if it is on, the second factor. This protects the account from a stolen session.
 */
import type { ActionContext } from '../api/contract.ts'
import { refuse, refuseField } from '../errors.ts'
import { keyOf } from './accounts.ts'
import {
  accountGuesser,
  countAttempt,
  forgetAttempts,
  passwordGuessers,
  pinGuessers,
  uncountAttempt,
} from './attempts.ts'
import type { AccountTable, Reader, Writer } from '../store/schema.ts'
import { ownAccount, Password } from './fields.ts'
import { isRecoveryCode, isShown, Pin } from './operations/second-factor.ts'

const recentMs = 10 * 60_000

/** The fields with which a session that is not recent reauthenticates. */
export const proofShape = {
  currentPassword: Password.optional().describe(
    'Your own current password. Needed for a new e-mail or password of your account, unless this session signed in ' +
      'within the last 10 minutes',
  ),
  code: Pin.optional().describe(
    'With currentPassword, if your second factor is on: a code from the app, or a recovery code',
  ),
}

interface Proof {
  currentPassword?: string | undefined
  code?: string | undefined
}

/** Call this in the transaction of the change. Refuses if the password has changed meanwhile or the code is wrong. */
export type Confirm = (tx: Writer) => Promise<void>

/**
 * Verifies that the caller is the owner of the account. Counts failed attempts. A password or code that was sent is
 * verified even if none is needed. Refuses with FORBIDDEN.
 *
 * @param isNeeded whether the change needs reauthentication
 */
export async function checkOwner(context: ActionContext, isNeeded: boolean, proof: Proof): Promise<Confirm> {
  const { db, actor, now, vault } = context
  const { currentPassword, code } = proof
  const account = await ownAccount(db, actor)
  const hasFactor = account.is2FAEnabled === 1
  if (code !== undefined && !hasFactor) refuseField('code', 'is not asked for: your second factor is off. Leave it out')
  if (isNeeded && !(await isRecent(db, actor.tokenId, now()))) {
    if (currentPassword === undefined) refuse('FORBIDDEN', missingText(hasFactor))
    if (hasFactor && code === undefined) refuseField('code', 'is missing: your second factor is on', 'FORBIDDEN')
  }
  const steps = [
    ...(currentPassword === undefined ? [] : [await verifyPassword(context, account, currentPassword)]),
    ...(code === undefined ? [] : [await countCode(context, code)]),
  ]
  return async (tx) => {
    const current = await ownAccount(tx, actor)
    if (currentPassword !== undefined && current.passwordHash !== account.passwordHash) refusePassword()
    if (code !== undefined && !(await isShown(tx, vault, current, code, now()))) {
      refuseField('code', 'is wrong, or was used already. Take the next one', 'FORBIDDEN')
    }
    for (const step of steps) await step(tx)
  }
}

/** Whether the session signed in within the last 10 minutes. A time in the future means that the clock was set back. */
async function isRecent(db: Reader, tokenId: string, now: Date): Promise<boolean> {
  const session = await db.selectFrom('token').select('createdAt').where('id', '=', tokenId).executeTakeFirst()
  const ageMs = now.getTime() - Date.parse(session?.createdAt ?? '')
  return ageMs >= 0 && ageMs < recentMs
}

const missingText = (hasFactor: boolean) =>
  'This session signed in more than 10 minutes ago. Send currentPassword' +
  `${hasFactor ? ' and code' : ''} as well, or sign in again and repeat the call`

async function verifyPassword(
  { transact, passwords, actor, now }: ActionContext,
  account: AccountTable,
  password: string,
): Promise<Confirm> {
  const key = keyOf(account.email)
  const counted = await transact(async (tx) => countAttempt(tx, await passwordGuessers(tx, key, actor, now()), now()))
  if (!(await passwords.verify(account.passwordHash, password))) refusePassword()
  return async (tx) => {
    await uncountAttempt(tx, counted)
    await forgetAttempts(tx, accountGuesser(key, actor))
  }
}

/** Counts an attempt. The code itself is verified in the transaction that uses it up. */
async function countCode({ transact, actor, now }: ActionContext, code: string): Promise<Confirm> {
  const counted = await transact(async (tx) =>
    countAttempt(tx, await pinGuessers(tx, actor.accountId, actor, isRecoveryCode(code), now()), now()),
  )
  return (tx) => uncountAttempt(tx, counted)
}

function refusePassword(): never {
  refuseField('currentPassword', 'is not your present password', 'FORBIDDEN')
}
