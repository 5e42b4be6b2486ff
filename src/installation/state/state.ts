/** Copies and seals Berth's own state, and opens a sealed state with the current master key or the next key. */
import type { Config } from '../../config.ts'
import { copyStore } from '../../store/sqlite/copy.ts'
import { unlock } from '../identity.ts'
import { readMasterKeys } from '../keys.ts'
import { isKnownVersion } from '../../store/migrations.ts'
import { keyIdOf } from '../../store/vault.ts'
import { StateRefused } from '../../dumps/failures.ts'
import { type OpenedState, sealState, type StateHeader } from './file.ts'
import type { Bytes } from '../../dumps/streams.ts'

/** A copy of the store. `sealed` yields the bytes of the backup. `close` deletes the copy. */
export interface OwnState {
  header: StateHeader
  sealed(): Bytes
  close(): Promise<void>
}

/**
 * Copies the state as of one point in time, even while Berth writes to the store.
 * @throws an error with a message for the operator if the state cannot be read completely
 */
export async function readOwnState(config: Config, at: Date): Promise<OwnState> {
  const copy = await copyStore(config.dataFolder)
  try {
    const keys = readMasterKeys(config)
    const masterKey = keys[unlock(keys, copy.keyProof).key]!
    const { installationId, version: storeVersion, sizeBytes, sha256 } = copy
    const header: StateHeader = {
      berthState: 1,
      keyId: keyIdOf(masterKey),
      installationId,
      storeVersion,
      madeAt: at.toISOString(),
      sizeBytes,
      sha256,
    }
    return { header, sealed: () => sealState(header, masterKey, copy.read()), close: copy.close }
  } catch (error) {
    await copy.close()
    throw error
  }
}

/**
 * Yields the contents of the store's file in an opened backup.
 * @throws StateRefused if no key fits, or a newer Berth created the backup
 */
export function storeOf({ header, store }: OpenedState, config: Config): Bytes {
  const { masterKey, nextKey } = readMasterKeys(config)
  const key = [masterKey, nextKey].find((it) => it !== null && keyIdOf(it) === header.keyId)
  if (key == null) {
    throw new StateRefused(
      `This backup needs the master key ${header.keyId}, but the master key here is ${keyIdOf(masterKey)}. ` +
        'Put the key of the backup into <data>/master.key or BERTH_MASTER_KEY',
    )
  }
  if (!isKnownVersion(header.storeVersion)) {
    throw new StateRefused(
      `This backup was created by a newer Berth (store version ${header.storeVersion}). Restore it with that version`,
    )
  }
  return store(key)
}
