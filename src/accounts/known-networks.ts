/**
 * The networks from which accounts signed in during the last 30 days. Failed attempts from other networks do not delay
 * a sign-in from a known network.
 */
import { futureFrom } from '../clock/trust.ts'
import { networkOf } from '../lib/net/address.ts'
import type { Reader, Writer } from '../store/schema.ts'

/** How long a network is known after the last sign-in from it. */
export const knownMs = 30 * 24 * 3600_000
/** Maximum number for each account, so that the owner of one account cannot make many networks known. */
const maxNetworks = 5

/** Makes the network of an address known for an account. Call this in the transaction of a successful sign-in. */
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
 * Whether the network of this address is known for an account.
 *
 * @param accountId null: any account. Before the password is verified, this must be null: otherwise the limits would
 *   reveal whether the account exists.
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

/** Deletes networks without a sign-in for 30 days. */
export async function forgetOldNetworks(tx: Writer, now: Date): Promise<void> {
  await tx
    .deleteFrom('knownNetwork')
    .where('seenAt', '<=', new Date(now.getTime() - knownMs).toISOString())
    .execute()
}

/** Moves sign-ins that were made while the clock was ahead back to the present. */
export async function correctFutureNetworks(tx: Writer, now: Date): Promise<void> {
  await tx
    .updateTable('knownNetwork')
    .set({ seenAt: now.toISOString() })
    .where('seenAt', '>', futureFrom(now))
    .execute()
}
