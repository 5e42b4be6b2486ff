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
    const message = `Berth is running on ${config.dataFolder}. Stop Berth, then run berth key rotate again`
    throw new Error(message, { cause: error })
  }
}

function outputText({ resealed }: Rotation, { masterKey, dataFolder }: Config) {
  const outcome =
    resealed === 0
      ? 'Nothing to do: the store is already sealed with BERTH_NEW_MASTER_KEY.'
      : `The master key was replaced. All ${resealed} sealed values were resealed. The old key opens none of them.`
  const instructions =
    masterKey === null
      ? [`The new key is in ${join(dataFolder, 'master.key')}. Keep a copy on another machine.`]
      : ['Now set BERTH_MASTER_KEY to the value of BERTH_NEW_MASTER_KEY, and remove BERTH_NEW_MASTER_KEY.']
  return [
    outcome,
    '',
    ...instructions,
    'Earlier backups of the state or of the data folder need the old key. Keep it as long as you keep those backups.',
    '',
    'Start Berth again with berth up',
  ].join('\n')
}
