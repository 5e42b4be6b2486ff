/** The command that changes the master key. */
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { idGenerator } from '../../lib/crypto/id.ts'
import { checkStore } from './open-store.ts'
import { StoreInUse } from '../../store/sqlite/lock.ts'
import { type Rotation, rotateKey } from '../rotation.ts'

/**
 * Changes the master key.
 * @returns the text for the operator
 * @throws an error with a message for the operator
 */
export async function rotate(config: Config): Promise<string> {
  checkStore(config)
  try {
    return outputText(
      await rotateKey(config, { now: () => new Date(), newId: idGenerator(), reached: () => undefined }),
      config,
    )
  } catch (error) {
    if (!(error instanceof StoreInUse)) throw error
    const sentence = `Berth is running on ${config.dataFolder}. Stop it first, then run ./berth key rotate again`
    throw new Error(sentence, { cause: error })
  }
}

function outputText({ resealed }: Rotation, { masterKey, dataFolder }: Config) {
  const done =
    resealed === 0
      ? 'The master key had been changed already: the store is sealed with BERTH_NEW_MASTER_KEY.'
      : `The master key was changed. All that it sealed (${resealed} texts) is sealed anew; the old key opens none of it.`
  const place =
    masterKey === null
      ? [`The new key lies in ${join(dataFolder, 'master.key')}. Keep a copy of it somewhere else.`]
      : ['From now on set BERTH_MASTER_KEY to the value of BERTH_NEW_MASTER_KEY, and leave BERTH_NEW_MASTER_KEY out.']
  return [
    done,
    '',
    ...place,
    'Backups of the data folder made before now open with the old key alone: keep it as long as you keep them.',
    '',
    'Start Berth again with ./berth up',
  ].join('\n')
}
