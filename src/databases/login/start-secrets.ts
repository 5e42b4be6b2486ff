/**
 * The secrets with which the first server on a volume was started. The images read them at their first start only.
 * Later servers on the volume keep them, so that a changed password changes no service and restarts no server. The
 * present password is in the server's data only.
 */
import type { Vault } from '../../store/vault.ts'
import type { VolumeTable } from '../../volumes/table.ts'
import { pick } from '../columns.ts'
import type { Settings, Target } from '../targets.ts'

/** The columns of a volume that contain its secrets, or that say whether a login was ever proven. */
export type Started = Pick<VolumeTable, 'id' | 'startSecrets' | 'secrets' | 'serverVersion' | 'identity'>

const fieldOf = (row: string) => ({ table: 'volume', column: 'startSecrets', row })

export function sealStartSecrets(vault: Vault, volumeId: string, secrets: Settings): string {
  return vault.seal(fieldOf(volumeId), JSON.stringify(secrets))
}

/**
 * Returns the recorded secrets. A volume with a proven login and without recorded secrets is one of an older version of
 * Berth, which started each server with the secrets of the last proven login. Null before the first proven login: until
 * then, servers are started with the secrets of the target.
 */
export function openStartSecrets(vault: Vault, volume: Started): Settings | null {
  const { id, startSecrets, secrets, serverVersion, identity } = volume
  if (startSecrets !== null) return JSON.parse(vault.open(fieldOf(id), startSecrets)) as Settings
  if (serverVersion === null && identity === null) return null
  return JSON.parse(vault.open({ table: 'volume', column: 'secrets', row: id }, secrets)) as Settings
}

/** The target with the secrets with which its server on the volume is started. Specifications are made from this. */
export function startTarget(vault: Vault, volume: Started, target: Target): Target {
  return { ...target, settings: { ...target.settings, ...openStartSecrets(vault, volume) } }
}

/** The value of the column `startSecrets` after a login to a server that was started from `startTarget`. */
export function provenStartSecrets(vault: Vault, volume: Started, target: Target, names: readonly string[]): string {
  return (
    volume.startSecrets ??
    sealStartSecrets(vault, volume.id, openStartSecrets(vault, volume) ?? pick(target.settings, names))
  )
}
