/**
 * The devices from which accounts signed in during the last 90 days. A device keeps a random token. For its account it
 * has a limit of its own on wrong passwords and codes, so that no other caller can delay its owner, also behind a proxy
 * that makes all callers one. The token gives no other right. So a new password does not end it: the owner, whose
 * sessions end then, needs it most in that moment.
 */
import { futureFrom } from '../clock/trust.ts'
import type { Reader, Writer } from '../store/schema.ts'
import { keyOf } from './accounts.ts'
import type { Caller } from './attempts.ts'
import { hashOf, newToken } from './tokens.ts'

/** How long a device is known after the last sign-in from it. */
export const deviceMs = 90 * 24 * 3600_000
/** Maximum number for each account. Each device permits attempts of its own. */
const maxDevices = 10

/** A row that is newer than this time is known. */
const since = (now: Date) => new Date(now.getTime() - deviceMs).toISOString()

/**
 * The caller of an attempt at an account. `device` is set if the token is that of a device of this account; otherwise
 * the caller counts like everybody else, whether the account exists or not.
 *
 * @param email the account need not exist
 * @param deviceToken undefined: the caller sends none
 */
export async function callerFrom<C extends Caller>(
  db: Reader,
  caller: C,
  email: string,
  deviceToken: string | undefined,
  now: Date,
): Promise<C> {
  if (!deviceToken) return caller
  const hash = hashOf(deviceToken)
  const row = await db
    .selectFrom('knownDevice')
    .innerJoin('account', 'account.id', 'knownDevice.accountId')
    .select('knownDevice.hash')
    .where('knownDevice.hash', '=', hash)
    .where('account.emailKey', '=', keyOf(email))
    .where('knownDevice.seenAt', '>', since(now))
    .executeTakeFirst()
  return row === undefined ? caller : { ...caller, device: row.hash }
}

/**
 * Makes a device known for an account. Call this in the transaction of a successful sign-in.
 *
 * @param deviceToken a token that Berth does not know is replaced: somebody else may have chosen it
 * @returns the token that the device has to keep
 */
export async function rememberDevice(tx: Writer, accountId: string, deviceToken: string, now: Date): Promise<string> {
  const token = (await isKnown(tx, deviceToken, now)) ? deviceToken : newToken('device')
  const row = { accountId, hash: hashOf(token), seenAt: now.toISOString() }
  await tx
    .insertInto('knownDevice')
    .values(row)
    .onConflict((conflict) => conflict.columns(['accountId', 'hash']).doUpdateSet({ seenAt: row.seenAt }))
    .execute()
  const newest = tx
    .selectFrom('knownDevice')
    .select('hash')
    .where('accountId', '=', accountId)
    .orderBy('seenAt', 'desc')
    .orderBy('hash')
    .limit(maxDevices)
  await tx.deleteFrom('knownDevice').where('accountId', '=', accountId).where('hash', 'not in', newest).execute()
  return token
}

/** Whether the token is that of a device of any account. */
async function isKnown(db: Reader, deviceToken: string, now: Date): Promise<boolean> {
  const row = await db
    .selectFrom('knownDevice')
    .select('hash')
    .where('hash', '=', hashOf(deviceToken))
    .where('seenAt', '>', since(now))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Deletes devices without a sign-in for 90 days. */
export async function forgetOldDevices(tx: Writer, now: Date): Promise<void> {
  await tx.deleteFrom('knownDevice').where('seenAt', '<=', since(now)).execute()
}

/** Moves sign-ins that were made while the clock was ahead back to the present. */
export async function correctFutureDevices(tx: Writer, now: Date): Promise<void> {
  await tx.updateTable('knownDevice').set({ seenAt: now.toISOString() }).where('seenAt', '>', futureFrom(now)).execute()
}
