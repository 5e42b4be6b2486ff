/**
 * Replaces the master key while Berth is stopped. After an interruption at any step, the whole store is sealed with
 * exactly one of the two keys. When the store is opened next, the proof in the store shows which key this is.
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
 * the transaction is not committed. `committed`: the transaction is durable. `taken`: the next key file has replaced
 * the old key file. If the keys are settings, `written` and `taken` are reached although no key file was changed.
 */
export type Step = 'written' | 'resealed' | 'committed' | 'taken'

export interface Rotation {
  /** The number of resealed values. 0: an earlier, interrupted rotation to this key had already resealed all values. */
  resealed: number
}

export interface RotationOptions {
  now(): Date
  newId(): string
  /** Called after each step. */
  reached(step: Step): void
}

/**
 * Replaces the master key. If the key is in the data folder, the new key is random. If the key is a setting, the new
 * key is the setting BERTH_NEW_MASTER_KEY.
 * @throws an error with a message for the operator if the settings contradict each other; nothing has changed then
 */
export async function rotateKey(config: Config, { now, newId, reached }: RotationOptions): Promise<Rotation> {
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
    // Closing the store rewrites the file without the old values, because the transaction set vacuumDue.
    await opened.store.close()
  }
}

function checkSettings({ masterKey, newMasterKey }: Config) {
  if (masterKey === null && newMasterKey !== null) {
    throw new Error(
      'BERTH_NEW_MASTER_KEY is allowed only together with BERTH_MASTER_KEY. This master key is in the data folder ' +
        'and is replaced by a random key: unset BERTH_NEW_MASTER_KEY',
    )
  }
  if (masterKey === null) return
  if (newMasterKey === null) {
    throw new Error(
      'The master key is the setting BERTH_MASTER_KEY. Set BERTH_NEW_MASTER_KEY to the new key as well ' +
        '(openssl rand -base64 32)',
    )
  }
  if (newMasterKey.equals(masterKey)) {
    throw new Error('BERTH_NEW_MASTER_KEY equals BERTH_MASTER_KEY. Set another key: openssl rand -base64 32')
  }
}

/** Reseals everything in one durable transaction. Returns the number of resealed values. */
function resealAll(
  { store, sealer, vault }: SealedStore,
  next: Buffer,
  at: Date,
  reached: (step: Step) => void,
): Promise<number> {
  return store.transact(async (tx) => {
    const resealed = await reseal(tx, sealer, sealerOf(next))
    await appendMachineEntry(tx, vault, 'machine.rotateKey', null, at)
    // The file and the WAL can still contain values that the old key sealed. The vacuum removes them.
    await setMeta(tx, vacuumDue, 'rotation')
    reached('resealed')
    return resealed
  })
}
