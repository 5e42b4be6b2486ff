/**
 * Whether it is the owner who changes how an account is entered: shown by a sign-in of the last ten minutes, or by the
 * present password and, where it is on, the second factor. A session that was stolen shows neither.
 */
import type { ActionContext } from '../api/contract.ts'
import { refuse, refuseField } from '../errors.ts'
import { keyOf } from './accounts.ts'
import { accountGuesser, countTry, forgetTries, passwordGuessers, pinGuessers, takeBack } from './attempts.ts'
import type { AccountTable, Reader, Writer } from '../store/schema.ts'
import { ownAccount, Password } from './fields.ts'
import { isRecoveryCode, isShown, Pin } from './operations/second-factor.ts'

const recentMs = 10 * 60_000

/** The fields by which a session that is not recent shows its owner. */
export const proofShape = {
  currentPassword: Password.optional().describe(
    'Your own present one. A new e-mail or password for your account needs ' +
      'it, unless this session signed in within the last 10 minutes',
  ),
  code: Pin.optional().describe(
    'With currentPassword where your second factor is on: a code of the app, or a recovery ' + 'code',
  ),
}

interface Proof {
  currentPassword?: string | undefined
  code?: string | undefined
}

/** To be called in the transaction of the change: refuses where the account has changed since, or the code is wrong. */
export type Confirm = (tx: Writer) => Promise<void>

/**
 * Refuses with FORBIDDEN where the owner is not shown; each guess is counted. What is sent is checked even where
 * nothing is needed. `isNeeded`: what is to be changed is for the owner alone.
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
    ...(currentPassword === undefined ? [] : [await checkPassword(context, account, currentPassword)]),
    ...(code === undefined ? [] : [await countCode(context, code)]),
  ]
  return async (tx) => {
    const present = await ownAccount(tx, actor)
    if (currentPassword !== undefined && present.passwordHash !== account.passwordHash) refusePassword()
    if (code !== undefined && !(await isShown(tx, vault, present, code, now()))) {
      refuseField('code', 'is wrong, or was used already. Take the next one', 'FORBIDDEN')
    }
    for (const step of steps) await step(tx)
  }
}

/** A sign-in from the future is none: the clock was set back. */
async function isRecent(db: Reader, tokenId: string, now: Date): Promise<boolean> {
  const session = await db.selectFrom('token').select('createdAt').where('id', '=', tokenId).executeTakeFirst()
  const ageMs = now.getTime() - Date.parse(session?.createdAt ?? '')
  return ageMs >= 0 && ageMs < recentMs
}

const missingText = (hasFactor: boolean) =>
  'This session signed in more than 10 minutes ago. Send currentPassword' +
  `${hasFactor ? ' and code' : ''} as well, or sign in again and repeat the call`

async function checkPassword(
  { transact, passwords, actor, now }: ActionContext,
  account: AccountTable,
  password: string,
): Promise<Confirm> {
  const key = keyOf(account.email)
  const counted = await transact(async (tx) => countTry(tx, await passwordGuessers(tx, key, actor, now()), now()))
  if (!(await passwords.verify(account.passwordHash, password))) refusePassword()
  return async (tx) => {
    await takeBack(tx, counted)
    await forgetTries(tx, accountGuesser(key, actor))
  }
}

/** Whether the code is right is seen in the transaction that uses it up. */
async function countCode({ transact, actor, now }: ActionContext, code: string): Promise<Confirm> {
  const counted = await transact(async (tx) =>
    countTry(tx, await pinGuessers(tx, actor.accountId, actor, isRecoveryCode(code), now()), now()),
  )
  return (tx) => takeBack(tx, counted)
}

function refusePassword(): never {
  refuseField('currentPassword', 'is not your present password', 'FORBIDDEN')
}
