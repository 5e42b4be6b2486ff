/** Decrypts the object of a dump with the identity that the caller of a restore sent, or with the installation's. */
import { decryptWith } from '../../lib/crypto/encryption.ts'
import { findIdentity, openIdentity } from '../identity.ts'
import type { BackupRunTable } from '../table.ts'
import type { Runtime } from '../../runtime.ts'
import { RunFailure } from '../../dumps/failures.ts'
import type { Bytes } from '../../dumps/streams.ts'

/** Decrypts a stream. If the object is not encrypted, passes the stream on unchanged. */
export type Decrypt = (bytes: Bytes) => Bytes

type Store = Pick<Runtime, 'db' | 'vault'>

const unchanged: Decrypt = (bytes) => bytes

/**
 * Returns the function that decrypts an object with the installation's identity.
 * @param encryptedFor the age recipient of the object; null: the object is not encrypted
 * @returns null if the recipient is not this installation's
 */
export async function decryptFor({ db, vault }: Store, encryptedFor: string | null): Promise<Decrypt | null> {
  if (encryptedFor === null) return unchanged
  const own = await findIdentity(db)
  if (own === undefined || own.recipient !== encryptedFor) return null
  const identity = openIdentity(vault, own)
  return (bytes) => decryptWith(identity, bytes)
}

/**
 * Returns the function that decrypts the object of a restore. The identity in the row takes precedence over the
 * installation's.
 * @throws RunFailure if the row has no identity and the recipient is not this installation's
 */
export async function decryptForRestore(
  store: Store,
  { id, identity, recipient }: Pick<BackupRunTable, 'id' | 'identity' | 'recipient'>,
): Promise<Decrypt> {
  if (identity !== null) {
    const callersIdentity = store.vault.open({ table: 'backupRun', column: 'identity', row: id }, identity)
    return (bytes) => decryptWith(callersIdentity, bytes)
  }
  return (await decryptFor(store, recipient)) ?? refuseForeign(recipient)
}

/** Like `decryptFor`, for a drill. Throws RunFailure if the recipient is not this installation's. */
export const decryptForDrill = async (store: Store, encryptedFor: string | null): Promise<Decrypt> =>
  (await decryptFor(store, encryptedFor)) ?? refuseForeign(encryptedFor)

function refuseForeign(encryptedFor: string | null): never {
  throw new RunFailure({ reason: 'ForeignRecipient', recipient: encryptedFor })
}
