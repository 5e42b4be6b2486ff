/** The profile of a database's server, for the manifest of its dumps. */
import type { PrivateProfile, ServerProfile } from '../dumps/server-profile.ts'
import { parseEnvFile } from '../lib/text/env-file.ts'
import { resolvedImage, type Target } from './targets.ts'

export const envNamesOf = (env: string | null): string[] => Object.keys(parseEnvFile(env ?? '').values)

/** The names in settings of the form NAME=value. */
export const settingNamesOf = (settings: readonly string[]): string[] =>
  settings.map((setting) => setting.slice(0, setting.indexOf('=')))

/** @param encrypted the private part, encrypted like the dump; null if the dump is not encrypted */
export function profileOf(
  target: Target,
  { env, databaseSettings }: PrivateProfile,
  encrypted: string | null,
): ServerProfile {
  const { command, memoryReservation, memoryLimit, cpuReservation, cpuLimit, externalPort } = target
  return {
    imageDigest: resolvedImage(target)?.digest ?? null,
    ...{ command, memoryReservation, memoryLimit, cpuReservation, cpuLimit, externalPort },
    envNames: envNamesOf(env),
    databaseSettingNames: settingNamesOf(databaseSettings),
    encrypted,
  }
}
