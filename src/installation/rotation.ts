/**
 * Replaces the master key while Berth is stopped. Whenever the replacement is interrupted, the whole store is sealed
 * with exactly one of the two keys. The next opening finds out which one by the proof in the store.
 */
import type { Config } from '../config.ts'
import { appendMachineEntry } from '../api/audit-log.ts'
import { promoteNextKey, writeNextKey } from './keys.ts'
import { setMeta } from '../store/meta.ts'
import { vacuumDue } from '../store/vacuum-due.ts'
import { reseal } from '../store/sealed.ts'
import { openSealedStore, type SealedStore } from './sealed-store.ts'
import { sealerOf } from '../store/vault.ts'

/**
 * The completed step. `written`: the next key is on the disk. `resealed`: everything is sealed with the next key, but
 * not committed. `committed`: the transaction is durable. `taken`: the next key file has replaced the old one.
 */
export type Step = 'written' | 'resealed' | 'committed' | 'taken'

export interface Rotation {
  /** The number of resealed texts. 0: an earlier, interrupted rotation to this key was already complete. */
  resealed: number
}

export interface Rotating {
  now(): Date
  newId(): string
  /** Called after each step. */
  reached(step: Step): void
}

/**
 * Replaces a key in the data folder by a random key, or a key that is a setting by the new setting.
 * @throws an error with a message for the operator if the settings do not fit; then nothing has changed
 */
export async function rotateKey(config: Config, { now, newId, reached }: Rotating): Promise<Rotation> {
  checkSettings(config)
  const opened = await openSealedStore(config, newId)
  try {
    if (config.masterKey !== null && opened.key === 'nextKey') return { resealed: 0 }
    const next = config.newMasterKey ?? writeNextKey(config)
    reached('written')
    const resealed = await resealAll(opened, next, now(), reached)
    reached('committed')
    promoteNextKey(config)
    reached('taken')
    return { resealed }
  } finally {
    // Closing the store rewrites the file without the old texts, because the transaction set vacuumDue.
    await opened.store.close()
  }
}

function checkSettings({ masterKey, newMasterKey }: Config) {
  if (masterKey === null && newMasterKey !== null) {
    throw new Error(
      'BERTH_NEW_MASTER_KEY goes with a key in BERTH_MASTER_KEY. The key of this Berth lies in its data ' +
        'folder and is replaced by a random one: leave BERTH_NEW_MASTER_KEY out',
    )
  }
  if (masterKey === null) return
  if (newMasterKey === null) {
    throw new Error(
      'The key of this Berth is the setting BERTH_MASTER_KEY. Set BERTH_NEW_MASTER_KEY to the new one ' +
        'as well (openssl rand -base64 32)',
    )
  }
  if (newMasterKey.equals(masterKey)) {
    throw new Error('BERTH_NEW_MASTER_KEY is the same as BERTH_MASTER_KEY. Make another: openssl rand -base64 32')
  }
}

/** Reseals everything in one transaction, which is durable when this returns. Returns the number of resealed texts. */
function resealAll(
  { store, sealer, vault }: SealedStore,
  next: Buffer,
  at: Date,
  reached: (step: Step) => void,
): Promise<number> {
  return store.transact(async (tx) => {
    const resealed = await reseal(tx, sealer, sealerOf(next))
    await appendMachineEntry(tx, vault, 'machine.rotateKey', null, at)
    // Free pages of the file still contain the texts that the old key sealed.
    await setMeta(tx, vacuumDue, 'rotation')
    reached('resealed')
    return resealed
  })
}
