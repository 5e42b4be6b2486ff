/**
 * The identity of an installation in its store: the id, the proof of which master key seals the store, and the key for
 * fingerprints, which stays when the master key changes.
 */
import { randomBytes } from 'node:crypto'
import type { Keys } from './keys.ts'
import { setMeta } from '../store/meta.ts'
import type { Store } from '../store/sqlite/open.ts'
import type { Reader } from '../store/schema.ts'
import { type Sealer, sealerOf, type Vault, vaultOf } from '../store/vault.ts'

const metaPlace = (row: string) => ({ table: 'meta', column: 'value', row })

/** The key that seals the store, and which of the present keys it is. */
export interface Unlocked {
  sealer: Sealer
  key: 'masterKey' | 'nextKey'
}

type MasterKeys = Pick<Keys, 'masterKey' | 'nextKey'>

/**
 * Finds the key that seals the store.
 * @param proof the proof in the store; undefined for a new store, which will be sealed with the master key
 * @throws an error with a message for the operator if no key fits
 */
export function unlock({ masterKey, nextKey }: MasterKeys, proof: string | undefined): Unlocked {
  const present = sealerOf(masterKey)
  if (proof === undefined || opens(present, proof)) return { sealer: present, key: 'masterKey' }
  const next = nextKey === null ? null : sealerOf(nextKey)
  if (next !== null && opens(next, proof)) return { sealer: next, key: 'nextKey' }
  throw new Error(
    'The master key is not the one that this store was made with. ' +
      'Put the right key back in <data>/master.key or BERTH_MASTER_KEY',
  )
}

/**
 * Returns whether the key made the proof.
 * @throws if the proof names this key but was changed
 */
function opens(sealer: Sealer, proof: string) {
  if (!proof.startsWith(sealer.prefix)) return false
  return sealer.open(metaPlace('masterKeyProof'), proof) === 'berth'
}

export interface Identity {
  installationId: string
  vault: Vault
}

/** Reads the identity, and creates missing parts of it: all parts at the first start. */
export async function identify(
  { db, transact }: Pick<Store, 'db' | 'transact'>,
  sealer: Sealer,
  newId: () => string,
): Promise<Identity> {
  const created = {
    installationId: newId(),
    masterKeyProof: sealer.seal(metaPlace('masterKeyProof'), 'berth'),
    fingerprintKey: sealer.seal(metaPlace('fingerprintKey'), randomBytes(32).toString('base64')),
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
 * Opens the vault of a store that has an identity already.
 * @throws if the store has no key for fingerprints
 */
export async function openVault(db: Reader, sealer: Sealer): Promise<Vault> {
  const sealed = (await metaOf(db)).get('fingerprintKey')
  if (sealed === undefined) throw new Error('The store has no key of fingerprints: start Berth once')
  return vaultOf(sealer, Buffer.from(sealer.open(metaPlace('fingerprintKey'), sealed), 'base64'))
}

async function metaOf(db: Reader): Promise<Map<string, string>> {
  const rows = await db.selectFrom('meta').selectAll().execute()
  return new Map(rows.map(({ key, value }) => [key, value]))
}
