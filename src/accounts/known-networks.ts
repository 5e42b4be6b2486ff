/** The networks from which accounts signed in lately: attackers elsewhere cannot delay a sign-in from one of them. */
import { networkOf } from '../lib/net/address.ts'
import type { Reader, Writer } from '../store/schema.ts'

/** After this time without a sign-in a network is a stranger again. */
export const knownMs = 30 * 24 * 3600_000
/** Kept of each account: whoever has one account cannot make many networks known. */
const maxNetworks = 5

/** Call this in the transaction of a sign-in that succeeded. */
export async function rememberNetwork(tx: Writer, accountId: string, address: string, now: Date): Promise<void> {
  const row = { accountId, network: networkOf(address), seenAt: now.toISOString() }
  await tx
    .insertInto('knownNetwork')
    .values(row)
    .onConflict((conflict) => conflict.columns(['accountId', 'network']).doUpdateSet({ seenAt: row.seenAt }))
    .execute()
  const newest = tx
    .selectFrom('knownNetwork')
    .select('network')
    .where('accountId', '=', accountId)
    .orderBy('seenAt', 'desc')
    .orderBy('network')
    .limit(maxNetworks)
  await tx.deleteFrom('knownNetwork').where('accountId', '=', accountId).where('network', 'not in', newest).execute()
}

/**
 * Whether an account signed in from the network of that address lately: the account of that id, or any where it is
 * null. For a password the answer must not depend on the account, for it would tell whether there is one.
 */
export async function isKnownNetwork(
  db: Reader,
  address: string,
  accountId: string | null,
  now: Date,
): Promise<boolean> {
  let rows = db
    .selectFrom('knownNetwork')
    .select('network')
    .where('network', '=', networkOf(address))
    .where('seenAt', '>', new Date(now.getTime() - knownMs).toISOString())
  if (accountId !== null) rows = rows.where('accountId', '=', accountId)
  return (await rows.limit(1).executeTakeFirst()) !== undefined
}

/** Deletes what has not been seen for 30 days. */
export async function forgetOldNetworks(tx: Writer, now: Date): Promise<void> {
  await tx
    .deleteFrom('knownNetwork')
    .where('seenAt', '<=', new Date(now.getTime() - knownMs).toISOString())
    .execute()
}
