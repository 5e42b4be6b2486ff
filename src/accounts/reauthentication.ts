/**
 * Reauthentication: the caller proves again to be the owner of the account. A change of e-mail or password needs either
 * a sign-in within the last ten minutes, or the current password and, if the second factor is on, a code. This protects
 * the account from a stolen session.
 */
import type { ActionContext } from '../api/contract.ts'
import { refuse, refuseField } from '../errors.ts'
import { keyOf } from './accounts.ts'
import {
  accountCounter,
  countAttempt,
  forgetAttempts,
  passwordCounters,
  pinCounters,
  uncountAttempt,
} from './attempts.ts'
import type { AccountTable, Writer } from '../store/schema.ts'
import { ownAccount, Password } from './fields.ts'
import { isRecent } from './recent-session.ts'
import { acceptCode, isRecoveryCode } from './codes.ts'
import { Pin } from './operations/second-factor.ts'

/** The input fields for reauthentication. */
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

/**
 * Completes the reauthentication, in the transaction of the change. Refuses if the password changed meanwhile or the
 * code is wrong. Uncounts the correct attempts.
 */
export type Confirm = (tx: Writer) => Promise<void>

/**
 * Verifies that the caller is the owner of the account: the password now, the code when the returned function runs.
 * Counts failed attempts. A password or code that is not needed is verified too. Refuses a missing or wrong proof with
 * FORBIDDEN.
 *
 * @param isNeeded whether the change needs reauthentication
 */
export async function checkOwner(context: ActionContext, isNeeded: boolean, proof: Proof): Promise<Confirm> {
  const { db, actor, now, vault } = context
  const { currentPassword, code } = proof
  const account = await ownAccount(db, actor)
  const hasFactor = account.is2FAEnabled === 1
  if (code !== undefined && !hasFactor) refuseField('code', 'must be left out: your second factor is off')
  if (isNeeded && !(await isRecent(db, actor.tokenId, now()))) {
    if (currentPassword === undefined) refuse('FORBIDDEN', missingText(hasFactor))
    if (hasFactor && code === undefined)
      refuseField('code', 'is missing. Your second factor is on: send a code of the app', 'FORBIDDEN')
  }
  const steps = [
    ...(currentPassword === undefined ? [] : [await verifyPassword(context, account, currentPassword)]),
    ...(code === undefined ? [] : [await countCode(context, code)]),
  ]
  return async (tx) => {
    const current = await ownAccount(tx, actor)
    if (currentPassword !== undefined && current.passwordHash !== account.passwordHash) refusePassword()
    if (code !== undefined && (await acceptCode(tx, vault, current, code, now())) === null) {
      refuseField('code', 'is wrong or was already used. Wait for the next one', 'FORBIDDEN')
    }
    for (const step of steps) await step(tx)
  }
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
  const counted = await transact(async (tx) => countAttempt(tx, await passwordCounters(tx, key, actor, now()), now()))
  if (!(await passwords.verify(account.passwordHash, password))) refusePassword()
  return async (tx) => {
    await uncountAttempt(tx, counted)
    await forgetAttempts(tx, accountCounter(key, actor))
  }
}

/** Counts an attempt at a code. `checkOwner` verifies the code later, in the transaction that records its use. */
async function countCode({ transact, actor, now }: ActionContext, code: string): Promise<Confirm> {
  const counted = await transact(async (tx) =>
    countAttempt(tx, await pinCounters(tx, actor.accountId, actor, isRecoveryCode(code), now()), now()),
  )
  return (tx) => uncountAttempt(tx, counted)
}

function refusePassword(): never {
  refuseField('currentPassword', 'is not your current password', 'FORBIDDEN')
}
