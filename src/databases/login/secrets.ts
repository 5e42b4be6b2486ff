/**
 * Collects the known values of a database's secret settings: those in its record, its targets and its volume. The
 * password of Berth's own account is one of them.
 */
import type { DatabaseTable, VolumeTable } from '../../store/schema.ts'
import { openSettings, openTarget, settingsOfVolume, attemptedCredentials } from '../targets.ts'
import { recordedOwnAccount } from './own-account.ts'
import { openStartSecrets } from './start-secrets.ts'
import type { Vault } from '../../store/vault.ts'

type Columns = Pick<DatabaseTable, 'id' | 'settings' | 'secrets' | 'target' | 'lastGood'>

/**
 * All known values of the database's secret settings, without empty ones.
 *
 * @param names the names of the secret settings
 */
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
    ...(volume === null
      ? []
      : [
          settingsOfVolume(vault, volume),
          ...attemptedCredentials(vault, volume),
          openStartSecrets(vault, volume) ?? undefined,
        ]),
  ]
  const secrets = new Set(known.flatMap((settings) => names.map((name) => settings?.[name] ?? '')))
  secrets.delete('')
  const own = volume === null ? null : recordedOwnAccount(vault, volume)
  if (own !== null) secrets.add(own.password)
  return secrets
}
