/** Every secret that is known of a database: wanted, tried, or held by its volume. Knows no kind. */
import type { DatabaseTable, VolumeTable } from '../store/schema.ts'
import { openSettings, openTarget, settingsOfVolume, triedOn } from './targets.ts'
import type { Vault } from '../store/vault.ts'

type Columns = Pick<DatabaseTable, 'id' | 'settings' | 'secrets' | 'target' | 'lastGood'>

/** `names`: those of the settings that are secret. Without the empty ones. */
export function secretsOf(
  vault: Vault,
  row: Columns,
  volume: VolumeTable | null,
  names: readonly string[],
): Set<string> {
  const known = [
    openSettings(vault, 'database', row),
    openTarget(vault, 'target', row)?.settings,
    openTarget(vault, 'lastGood', row)?.settings,
    ...(volume === null ? [] : [settingsOfVolume(vault, volume), ...triedOn(vault, volume)]),
  ]
  const secrets = new Set(known.flatMap((settings) => names.map((name) => settings?.[name] ?? '')))
  secrets.delete('')
  return secrets
}
