/**
 * Reauthentication: the caller proves again to be the owner of the account. A change of what anybody signs in with, a
 * new API token and a new administrator need either a sign-in within the last ten minutes, or the current password and,
 * if the second factor is on, a code. So a stolen session is not enough for access that outlives it.
 */
import { z } from 'zod'
import type { ActionContext } from '../api/contract.ts'
import { type Issue, refuse, refuseField } from '../errors.ts'
import { keyOf } from './accounts.ts'
import {
  accountCounter,
  countAttempt,
  forgetAttempts,
  passwordCounters,
  pinCounters,
  uncountAttempt,
} from './attempts.ts'
import type { AccountTable, Reader, Writer } from '../store/schema.ts'
import { ownAccount, Password } from './fields.ts'
import { acceptCode, isRecoveryCode, Pin } from './codes.ts'

const recentMs = 10 * 60_000

/** The codes of the reason why a call is refused that succeeds with a proof. */
export const ProofReasonCode = z.literal('ProofMissing')

/** The input fields for reauthentication. */
export const proofShape = {
  currentPassword: Password.optional().describe(
    'Your own current password. If this operation needs a proof, it is the proof, unless this session signed in within ' +
      'the last 10 minutes',
  ),
  code: Pin.optional().describe(
    'With currentPassword, if your second factor is on: a code from the app, or a recovery code',
  ),
}

/** A sentence for the descriptions of operations that always need the proof. */
export const proofRule =
  'Needs a session that signed in within the last 10 minutes, or `currentPassword` and, if the second factor is on, `code`.'

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
  const { db, actor, now, clock, vault } = context
  const { currentPassword, code } = proof
  const account = await ownAccount(db, actor)
  const hasFactor = account.is2FAEnabled === 1
  if (code !== undefined && !hasFactor) refuseField('code', 'must be left out: your second factor is off')
  if (isNeeded && !(await isRecent(db, actor.tokenId, clock.latest()))) refuseMissing(proof, hasFactor)
  const steps = [
    ...(currentPassword === undefined ? [] : [await verifyPassword(context, account, currentPassword)]),
    ...(code === undefined ? [] : [await countCode(context, code)]),
  ]
  return async (tx) => {
    const current = await ownAccount(tx, actor)
    if (currentPassword !== undefined && current.passwordHash !== account.passwordHash) refusePassword()
    if (code !== undefined && !(await acceptCode(tx, vault, current, code, now()))) {
      refuseField('code', 'is wrong or was already used. Wait for the next one', 'FORBIDDEN')
    }
    for (const step of steps) await step(tx)
  }
}

/** Whether the session signed in within the last 10 minutes. False for a time in the future: the clock was set back. */
async function isRecent(db: Reader, tokenId: string, now: Date): Promise<boolean> {
  const session = await db.selectFrom('token').select('createdAt').where('id', '=', tokenId).executeTakeFirst()
  const ageMs = now.getTime() - Date.parse(session?.createdAt ?? '')
  return ageMs >= 0 && ageMs < recentMs
}

/** Refuses a proof that is not complete. The issues name the missing fields, and the reason is for programs. */
function refuseMissing({ currentPassword, code }: Proof, hasFactor: boolean): void {
  const issues: Issue[] = [
    ...(currentPassword === undefined ? [{ path: 'currentPassword', message: 'is missing' }] : []),
    ...(hasFactor && code === undefined ? [{ path: 'code', message: 'is missing: your second factor is on' }] : []),
  ]
  if (issues.length === 0) return
  const fields = issues.map(({ path }) => path).join(' and ')
  const message = `This session signed in more than 10 minutes ago. Send ${fields} as well, or sign in again and repeat the call`
  refuse('FORBIDDEN', message, { issues, reason: ProofReasonCode.value })
}

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
