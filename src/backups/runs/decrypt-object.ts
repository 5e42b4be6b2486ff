/** Decrypts the object of a dump with the identity that the caller of a restore sent, or with the installation's. */
import { decryptWith, fileKeyOf } from '../../lib/crypto/encryption.ts'
import type { Bucket } from '../../lib/s3/s3.ts'
import { findIdentity, openIdentity } from '../identity.ts'
import type { BackupRunTable } from '../table.ts'
import type { Runtime } from '../../runtime.ts'
import { RunFailure } from '../../dumps/failures.ts'
import type { Bytes } from '../../dumps/streams.ts'

/** How to decrypt an object. */
export interface Decryption {
  /** The age identity; null: the object is not encrypted. */
  identity: string | null
  /** Decrypts a stream. If the object is not encrypted, passes the stream on unchanged. */
  decrypt(bytes: Bytes): Bytes
}

type Store = Pick<Runtime, 'db' | 'vault'>

const notEncrypted: Decryption = { identity: null, decrypt: (bytes) => bytes }

const withIdentity = (identity: string): Decryption => ({ identity, decrypt: (bytes) => decryptWith(identity, bytes) })

/**
 * Returns how to decrypt an object with the installation's identity.
 * @param encryptedFor the age recipient of the object; null: the object is not encrypted
 * @returns null if the recipient is not this installation's
 */
export async function decryptionFor({ db, vault }: Store, encryptedFor: string | null): Promise<Decryption | null> {
  if (encryptedFor === null) return notEncrypted
  const own = await findIdentity(db)
  return own === undefined || own.recipient !== encryptedFor ? null : withIdentity(openIdentity(vault, own))
}

/**
 * Returns how to decrypt the object of a restore. The identity in the row takes precedence over the installation's.
 * @throws RunFailure if the row has no identity and the recipient is not this installation's
 */
export async function decryptionForRestore(
  store: Store,
  { id, identity, recipient }: Pick<BackupRunTable, 'id' | 'identity' | 'recipient'>,
): Promise<Decryption> {
  if (identity !== null) {
    return withIdentity(store.vault.open({ table: 'backupRun', column: 'identity', row: id }, identity))
  }
  return decryptionForDrill(store, recipient)
}

/** Like `decryptionFor`, for a drill. Throws RunFailure if the recipient is not this installation's. */
export async function decryptionForDrill(store: Store, encryptedFor: string | null): Promise<Decryption> {
  const decryption = await decryptionFor(store, encryptedFor)
  if (decryption === null) throw new RunFailure({ reason: 'ForeignRecipient', recipient: encryptedFor })
  return decryption
}

/**
 * Returns the key of this object alone, in base64, for a worker: the worker must not get the identity. Reads the
 * beginning of the object. Null: the object is not encrypted.
 */
export async function fileKeyOfObject(
  bucket: Bucket,
  key: string,
  { identity }: Decryption,
  signal: AbortSignal,
): Promise<string | null> {
  if (identity === null) return null
  return Buffer.from(await fileKeyOf(identity, bucket.get(key, signal))).toString('base64')
}
