/** Decrypts the object of a dump, with the identity given to a restore or with the installation's own. */
import { decryptWith } from '../../lib/crypto/encryption.ts'
import { findIdentity, openIdentity } from '../identity.ts'
import type { BackupRunTable } from '../table.ts'
import type { Runtime } from '../../runtime.ts'
import { RunFailure } from '../../dumps/failures.ts'
import type { Bytes } from '../../dumps/streams.ts'

/** Decrypts a stream; passes an object that is not encrypted through unchanged. */
export type Open = (bytes: Bytes) => Bytes

type Store = Pick<Runtime, 'db' | 'vault'>

const unchanged: Open = (bytes) => bytes

/**
 * @param encryptedFor the age recipient of the object; null: the object is not encrypted
 * @returns null if the recipient is not this installation's
 */
export async function openerFor({ db, vault }: Store, encryptedFor: string | null): Promise<Open | null> {
  if (encryptedFor === null) return unchanged
  const own = await findIdentity(db)
  if (own === undefined || own.recipient !== encryptedFor) return null
  const identity = openIdentity(vault, own)
  return (bytes) => decryptWith(identity, bytes)
}

/**
 * For a restore. The identity in its row takes precedence over the installation's.
 * @throws RunFailure if neither is available
 */
export async function openerOfRestore(
  store: Store,
  { id, identity, recipient }: Pick<BackupRunTable, 'id' | 'identity' | 'recipient'>,
): Promise<Open> {
  if (identity !== null) {
    const given = store.vault.open({ table: 'backupRun', column: 'identity', row: id }, identity)
    return (bytes) => decryptWith(given, bytes)
  }
  return (await openerFor(store, recipient)) ?? refuseForeign(recipient)
}

/** For a drill. Throws RunFailure if the recipient is not this installation's. */
export const ownOpener = async (store: Store, encryptedFor: string | null): Promise<Open> =>
  (await openerFor(store, encryptedFor)) ?? refuseForeign(encryptedFor)

function refuseForeign(encryptedFor: string | null): never {
  throw new RunFailure({ reason: 'ForeignRecipient', recipient: encryptedFor })
}
