/** How an object is opened before it is read: with the identity that a restore was given, or the installation's own. */
import { decryptWith } from '../../lib/crypto/encryption.ts'
import { findIdentity, openIdentity } from '../identity.ts'
import type { BackupRunTable } from '../table.ts'
import type { Runtime } from '../../runtime.ts'
import { RunFailure } from '../../dumps/failures.ts'
import type { Bytes } from '../../dumps/streams.ts'

export type Open = (bytes: Bytes) => Bytes

type Store = Pick<Runtime, 'db' | 'vault'>

const asItIs: Open = (bytes) => bytes

/** `encryptedFor` is an age recipient, or null. Gives null where its identity is not this installation's own. */
export async function openerFor({ db, vault }: Store, encryptedFor: string | null): Promise<Open | null> {
  if (encryptedFor === null) return asItIs
  const own = await findIdentity(db)
  if (own === undefined || own.recipient !== encryptedFor) return null
  const identity = openIdentity(vault, own)
  return (bytes) => decryptWith(identity, bytes)
}

/** For a restore: the identity in its row comes before the installation's own. Throws RunFailure without either. */
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

/** For a drill. Throws RunFailure where the identity is not the installation's own. */
export const ownOpener = async (store: Store, encryptedFor: string | null): Promise<Open> =>
  (await openerFor(store, encryptedFor)) ?? refuseForeign(encryptedFor)

function refuseForeign(encryptedFor: string | null): never {
  throw new RunFailure({ reason: 'ForeignRecipient', recipient: encryptedFor })
}
