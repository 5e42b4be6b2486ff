/** Opens the store with the key that it is sealed with, whatever became of the last change of that key. */
import type { Config } from '../config.ts'
import { identify, unlock } from './identity.ts'
import { dropNextKey, type Keys, openKeys, takeNextKey } from './keys.ts'
import { openStore, type Store } from '../store/sqlite/open.ts'
import type { Sealer, Vault } from '../store/vault.ts'

export interface SealedStore {
  store: Store
  sealer: Sealer
  vault: Vault
  installationId: string
  keys: Keys
  /** Which of the keys it is: the next one where both are settings and the change came about. */
  key: 'masterKey' | 'nextKey'
}

/** Throws, in a sentence, where the folder cannot be used, another Berth has it, or no key fits. */
export async function openSealedStore(config: Config, newId: () => string): Promise<SealedStore> {
  // What is wrong with the folder is said before anything else.
  let keys = openKeys(config)
  let unlocked = unlock(keys, undefined)
  const store = await openStore(config.dataFolder, (proof) => {
    // Again, now that nobody else can change them.
    keys = openKeys(config)
    unlocked = unlock(keys, proof)
    if (unlocked.key === 'nextKey') takeNextKey(config)
    else dropNextKey(config)
    return unlocked.sealer
  })
  const { sealer, key } = unlocked
  const { installationId, vault } = await identify(store, sealer, newId)
  return { store, sealer, vault, installationId, keys, key }
}
