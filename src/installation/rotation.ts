/**
 * Puts another master key in the place of the present one, with Berth stopped. At whatever point it is interrupted, the
 * store is sealed with one key or the other, whole, and the next opening finds out which by the proof in it.
 */
import type { Config } from '../config.ts'
import { appendMachineEntry } from '../api/audit-log.ts'
import { takeNextKey, writeNextKey } from './keys.ts'
import { setMeta } from '../store/meta.ts'
import { vacuumDue } from '../store/vacuum-due.ts'
import { reseal } from '../store/sealed.ts'
import { openSealedStore, type SealedStore } from './sealed-store.ts'
import { sealerOf } from '../store/vault.ts'

/** What is done at each: the next key is on the disk; all is sealed anew, not committed; committed; in its place. */
export type Step = 'written' | 'resealed' | 'committed' | 'taken'

export interface Rotation {
  /** Texts that were sealed anew. 0: an interrupted rotation to this key had come about already. */
  resealed: number
}

export interface Rotating {
  now(): Date
  newId(): string
  /** Called at each step. */
  reached(step: Step): void
}

/**
 * A key in the data folder is replaced by a random one, one that is a setting by the new setting. Throws, in a sentence
 * for the operator, where that cannot be; nothing has changed then.
 */
export async function rotateKey(config: Config, { now, newId, reached }: Rotating): Promise<Rotation> {
  checkSettings(config)
  const opened = await openSealedStore(config, newId)
  try {
    if (config.masterKey !== null && opened.key === 'nextKey') return { resealed: 0 }
    const next = config.newMasterKey ?? writeNextKey(config)
    reached('written')
    const resealed = await sealAll(opened, next, now(), reached)
    reached('committed')
    takeNextKey(config)
    reached('taken')
    return { resealed }
  } finally {
    // Closing writes the file anew.
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

/** One transaction: durable when this returns. */
function sealAll(
  { store, sealer, vault }: SealedStore,
  next: Buffer,
  at: Date,
  reached: (step: Step) => void,
): Promise<number> {
  return store.transact(async (tx) => {
    const resealed = await reseal(tx, sealer, sealerOf(next))
    await appendMachineEntry(tx, vault, 'machine.rotateKey', null, at)
    // The old texts lie in the file still.
    await setMeta(tx, vacuumDue, 'rotation')
    reached('resealed')
    return resealed
  })
}
