/** Berth's own account as it is recorded with a volume. It belongs to the data, like every account of a server. */
import { base32Secret } from '../../lib/crypto/base32-secret.ts'
import { type OwnAccount, ownNameOf } from '../../kinds/kind.ts'
import type { VolumeTable } from '../../store/schema.ts'
import type { Vault } from '../../store/vault.ts'

const ownField = (row: string) => ({ table: 'volume', column: 'ownAccount', row })

export const sealOwnAccount = (vault: Vault, volumeId: string, own: OwnAccount): string =>
  vault.seal(ownField(volumeId), JSON.stringify(own))

/** The recorded account, which the server may not have yet; null if none is recorded. */
export function recordedOwnAccount(
  vault: Vault,
  { id, ownAccount }: Pick<VolumeTable, 'id' | 'ownAccount'>,
): OwnAccount | null {
  return ownAccount === null ? null : (JSON.parse(vault.open(ownField(id), ownAccount)) as OwnAccount)
}

/** The account with which programs log in; null if the server did not accept it at the last login. */
export function ownAccountOf(
  vault: Vault,
  volume: Pick<VolumeTable, 'id' | 'ownAccount' | 'access'>,
): OwnAccount | null {
  const isAccepted = volume.access === 'complete' || volume.access === 'withoutRoot'
  return isAccepted ? recordedOwnAccount(vault, volume) : null
}

/** Rules for passwords ask for upper and lower case letters, digits and other characters. */
const everyCharacterClass = 'Aa1-'

/** A new account. Its name shows to which database it belongs; its password has 160 random bits. */
export const newOwnAccount = (databaseId: string): OwnAccount => ({
  user: ownNameOf(databaseId),
  password: everyCharacterClass + base32Secret(8),
})
