/** Opens the store with the master key that seals it, also after an interrupted replacement of that key. */
import type { Config } from '../config.ts'
import { identify, unlock } from './identity.ts'
import { deleteNextKey, type Keys, openKeys, promoteNextKey } from './keys.ts'
import { openStore, type Store } from '../store/sqlite/open.ts'
import type { Sealer, Vault } from '../store/vault.ts'

export interface SealedStore {
  store: Store
  sealer: Sealer
  vault: Vault
  installationId: string
  keys: Keys
  /**
   * The key of `keys` that opened the store. `nextKey` after an interrupted replacement. If the keys are files, the
   * next key file has then already replaced the master key file.
   */
  key: 'masterKey' | 'nextKey'
}

/**
 * @throws an error with a message for the operator if the folder cannot be used, another Berth uses the folder, or no
 * key opens the store
 */
export async function openSealedStore(config: Config, newId: () => string): Promise<SealedStore> {
  // Report problems with the folder before other problems.
  let keys = openKeys(config)
  let unlocked = unlock(keys, undefined)
  const store = await openStore(config.dataFolder, (proof) => {
    // Read the keys again, because no other process can change them while this one has the lock.
    keys = openKeys(config)
    unlocked = unlock(keys, proof)
    if (unlocked.key === 'nextKey') promoteNextKey(config)
    else deleteNextKey(config)
    return unlocked.sealer
  })
  const { sealer, key } = unlocked
  const { installationId, vault } = await identify(store, sealer, newId)
  return { store, sealer, vault, installationId, keys, key }
}
