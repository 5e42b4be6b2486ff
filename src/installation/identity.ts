/**
 * The identity of an installation in its store. The identity has three parts: the installation id, the proof of the
 * master key that seals the store, and the fingerprint key. The fingerprint key does not change when the master key
 * changes.
 */
import { randomBytes } from 'node:crypto'
import type { Keys } from './keys.ts'
import { setMeta } from '../store/meta.ts'
import type { Store } from '../store/sqlite/open.ts'
import type { Reader } from '../store/schema.ts'
import { type Sealer, sealerOf, type Vault, vaultOf } from '../store/vault.ts'

const metaCell = (row: string) => ({ table: 'meta', column: 'value', row })

/** The sealer with the key that seals the store, and which of the two keys this is. */
export interface Unlocked {
  sealer: Sealer
  key: 'masterKey' | 'nextKey'
}

type MasterKeys = Pick<Keys, 'masterKey' | 'nextKey'>

/**
 * Selects the key that seals the store.
 * @param proof the proof in the store. Undefined for a new store, which is then sealed with the master key
 * @throws an error with a message for the operator if no key fits
 */
export function unlock({ masterKey, nextKey }: MasterKeys, proof: string | undefined): Unlocked {
  const present = sealerOf(masterKey)
  if (proof === undefined || opens(present, proof)) return { sealer: present, key: 'masterKey' }
  const next = nextKey === null ? null : sealerOf(nextKey)
  if (next !== null && opens(next, proof)) return { sealer: next, key: 'nextKey' }
  throw new Error(
    'This master key does not open this store. Put the key that sealed the store into <data>/master.key or ' +
      'BERTH_MASTER_KEY',
  )
}

/**
 * Returns whether the key sealed the proof.
 * @throws if the proof names this key but was modified
 */
function opens(sealer: Sealer, proof: string) {
  if (!proof.startsWith(sealer.prefix)) return false
  return sealer.open(metaCell('masterKeyProof'), proof) === 'berth'
}

export interface Identity {
  installationId: string
  vault: Vault
}

/** Reads the identity, and creates its missing parts. A new store has none of the parts. */
export async function identify(
  { db, transact }: Pick<Store, 'db' | 'transact'>,
  sealer: Sealer,
  newId: () => string,
): Promise<Identity> {
  const created = {
    installationId: newId(),
    masterKeyProof: sealer.seal(metaCell('masterKeyProof'), 'berth'),
    fingerprintKey: sealer.seal(metaCell('fingerprintKey'), randomBytes(32).toString('base64')),
  }
  const stored = await metaOf(db)
  const missing = Object.entries(created).filter(([key]) => !stored.has(key))
  if (missing.length > 0) {
    await transact(async (tx) => {
      for (const [key, value] of missing) await setMeta(tx, key, value)
    })
  }
  return { installationId: stored.get('installationId') ?? created.installationId, vault: await openVault(db, sealer) }
}

/**
 * Opens the vault of a store that has an identity.
 * @throws if the store has no fingerprint key
 */
export async function openVault(db: Reader, sealer: Sealer): Promise<Vault> {
  const sealed = (await metaOf(db)).get('fingerprintKey')
  if (sealed === undefined) throw new Error('The store has no fingerprint key. Start Berth once, which creates the key')
  return vaultOf(sealer, Buffer.from(sealer.open(metaCell('fingerprintKey'), sealed), 'base64'))
}

async function metaOf(db: Reader): Promise<Map<string, string>> {
  const rows = await db.selectFrom('meta').selectAll().execute()
  return new Map(rows.map(({ key, value }) => [key, value]))
}
