/**
 * What makes this store one installation: its id, the proof of which master key it is sealed with, and the key of its
 * fingerprints, which stays when the master key changes.
 */
import { randomBytes } from 'node:crypto'
import type { Keys } from './keys.ts'
import { setMeta } from '../store/meta.ts'
import type { Store } from '../store/sqlite/open.ts'
import type { Reader } from '../store/schema.ts'
import { type Sealer, sealerOf, type Vault, vaultOf } from '../store/vault.ts'

const placeOf = (row: string) => ({ table: 'meta', column: 'value', row })

/** A key that the store is sealed with, and which of those that there are it is. */
export interface Unlocked {
  sealer: Sealer
  key: 'masterKey' | 'nextKey'
}

type MasterKeys = Pick<Keys, 'masterKey' | 'nextKey'>

/** `proof` undefined: the store is new, and will be sealed with the master key. Throws where no key fits. */
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

/** Throws where the proof names this key and was changed. */
function opens(sealer: Sealer, proof: string) {
  if (!proof.startsWith(sealer.prefix)) return false
  return sealer.open(placeOf('masterKeyProof'), proof) === 'berth'
}

export interface Identity {
  installationId: string
  vault: Vault
}

/** Makes what is missing: all of it at the first start. */
export async function identify(
  { db, transact }: Pick<Store, 'db' | 'transact'>,
  sealer: Sealer,
  newId: () => string,
): Promise<Identity> {
  const made = {
    installationId: newId(),
    masterKeyProof: sealer.seal(placeOf('masterKeyProof'), 'berth'),
    fingerprintKey: sealer.seal(placeOf('fingerprintKey'), randomBytes(32).toString('base64')),
  }
  const known = await metaOf(db)
  const missing = Object.entries(made).filter(([key]) => !known.has(key))
  if (missing.length > 0) {
    await transact(async (tx) => {
      for (const [key, value] of missing) await setMeta(tx, key, value)
    })
  }
  return { installationId: known.get('installationId') ?? made.installationId, vault: await openVault(db, sealer) }
}

/** Of a store that was identified before. */
export async function openVault(db: Reader, sealer: Sealer): Promise<Vault> {
  const sealed = (await metaOf(db)).get('fingerprintKey')
  if (sealed === undefined) throw new Error('The store has no key of fingerprints: start Berth once')
  return vaultOf(sealer, Buffer.from(sealer.open(placeOf('fingerprintKey'), sealed), 'base64'))
}

async function metaOf(db: Reader): Promise<Map<string, string>> {
  const rows = await db.selectFrom('meta').selectAll().execute()
  return new Map(rows.map(({ key, value }) => [key, value]))
}
