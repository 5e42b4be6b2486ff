/**
 * Targets: the configuration that a database was last deployed with. A deploy copies the record into the target. If the
 * record changes later, the target still describes what should run. Targets contain passwords and are stored sealed.
 */
import { isDeepStrictEqual } from 'node:util'
import type { ImageStart } from '../engine/engine.ts'
import { type Kind, withLastingOf } from '../kinds/kind.ts'
import { initialTarget, pick, type DeployedColumns, deployedNames } from './columns.ts'
import type { DatabaseTable, VolumeTable } from '../store/schema.ts'
import { openStartSecrets } from './login/start-secrets.ts'
import type { Vault } from '../store/vault.ts'

/** The fields that the database's kind defines, such as `databaseUser` and `databasePassword`. */
export type Settings = Record<string, string>

/** The image that a reference was resolved to. Later starts use this image, even if the tag now names another one. */
export interface ResolvedImage {
  /** The requested reference after aliases of default images were replaced. */
  reference: string
  /** `name@sha256:...`; null for an image without a digest in a registry. */
  digest: string | null
  /** The image id, `sha256:...`, on Berth's node. */
  id: string
  /** The server's version, with as many parts as the kind distinguishes; null if unknown. */
  version: string | null
  /** What the image starts. */
  start: ImageStart
}

/** Stored as JSON: the keys must never change. */
export interface Target extends DeployedColumns {
  dockerImage: string
  /**
   * The resolved image. `resolve`: the image must be resolved before the server starts. `pull`: the image must be
   * resolved in its registry. Undefined in targets of older versions of Berth, which start `dockerImage` itself.
   */
  image?: ResolvedImage | 'resolve' | 'pull'
  settings: Settings
  /** The number of requested restarts. A changed number leads to a new container. */
  restarts: number
}

type SealedSettings = { settings: string; secrets: string }

/** The two columns of settings: `settings` contains the public settings as JSON, `secrets` the sealed secret ones. */
export function sealSettings(
  vault: Vault,
  table: 'database' | 'volume',
  row: string,
  settings: Settings,
  secretNames: readonly string[],
): SealedSettings {
  const isSecret = ([name]: [string, string]) => secretNames.includes(name)
  const entries = Object.entries(settings)
  const open = Object.fromEntries(entries.filter((entry) => !isSecret(entry)))
  const secret = Object.fromEntries(entries.filter(isSecret))
  const secrets = vault.seal({ table, column: 'secrets', row }, JSON.stringify(secret))
  return { settings: JSON.stringify(open), secrets }
}

export function openSettings(
  vault: Vault,
  table: 'database' | 'volume',
  row: SealedSettings & { id: string },
): Settings {
  const secrets = vault.open({ table, column: 'secrets', row: row.id }, row.secrets)
  return { ...(JSON.parse(row.settings) as Settings), ...(JSON.parse(secrets) as Settings) }
}

export const settingsOfVolume = (vault: Vault, volume: VolumeTable) => openSettings(vault, 'volume', volume)

const triedField = (row: string) => ({ table: 'volume', column: 'tried', row })

/**
 * Credentials that the server on the volume may accept in addition to those of the last successful login, newest first.
 */
export function attemptedCredentials(vault: Vault, { id, tried }: Pick<VolumeTable, 'id' | 'tried'>): Settings[] {
  return tried === null ? [] : (JSON.parse(vault.open(triedField(id), tried)) as Settings[])
}

export function sealAttemptedCredentials(vault: Vault, volumeId: string, tried: Settings[]): string {
  return vault.seal(triedField(volumeId), JSON.stringify(tried))
}

/** The sealed attempted credentials with those of the target added. Null if the target's are already recorded. */
export function sealAddedCredentials(vault: Vault, volume: VolumeTable, { settings }: Target): string | null {
  const tried = attemptedCredentials(vault, volume)
  const known = [settingsOfVolume(vault, volume), ...tried]
  if (known.some((other) => isDeepStrictEqual(other, settings))) return null
  return sealAttemptedCredentials(vault, volume.id, [settings, ...tried])
}

const envField = (row: string) => ({ table: 'database', column: 'env', row })

/** Seals the environment, which can contain secrets. */
export function sealEnv(vault: Vault, row: string, env: string | null): string | null {
  return env === null ? null : vault.seal(envField(row), env)
}

export function openEnv(vault: Vault, { id, env }: Pick<DatabaseTable, 'id' | 'env'>): string | null {
  return env === null ? null : vault.open(envField(id), env)
}

/** The target that the present record describes. */
export function targetOf(vault: Vault, row: DatabaseTable, restarts: number): Target {
  return {
    dockerImage: row.dockerImage,
    ...pick(row, deployedNames),
    env: openEnv(vault, row),
    settings: openSettings(vault, 'database', row),
    restarts,
  }
}

type TargetColumn = 'target' | 'lastGood'

export function sealTarget(vault: Vault, column: TargetColumn, row: string, target: Target): string {
  return vault.seal({ table: 'database', column, row }, JSON.stringify(target))
}

/** Opens a stored target. Columns that were added later have their initial values. Null if there is no target. */
export function openTarget<C extends TargetColumn>(
  vault: Vault,
  column: C,
  row: Pick<DatabaseTable, C | 'id'>,
): Target | null {
  const sealed: string | null = row[column]
  if (sealed === null) return null
  const stored = JSON.parse(vault.open({ table: 'database', column, row: row.id }, sealed)) as Target
  return { ...initialTarget, ...stored }
}

type Subject = { row: DatabaseTable; kind: Kind; target: Target; volume: VolumeTable }

/** All known credentials of a server other than those of the target, the most likely first. */
export function knownCredentials(vault: Vault, { row, kind, target, volume }: Subject): Settings[] {
  const found = [
    settingsOfVolume(vault, volume),
    ...attemptedCredentials(vault, volume),
    openTarget(vault, 'lastGood', row)?.settings,
    openSettings(vault, 'database', row),
    // A server that lost the file with its users starts with the first secrets.
    { ...target.settings, ...openStartSecrets(vault, volume) },
  ].filter((settings) => settings !== undefined)
  const candidates = found.map((settings) => withLastingOf(kind, settings, target.settings))
  return candidates.filter(
    (settings, index) =>
      !isDeepStrictEqual(settings, target.settings) &&
      candidates.findIndex((other) => isDeepStrictEqual(other, settings)) === index,
  )
}

/** The credentials other than the target's that the server accepted at the last proven login, or can have got since. */
export function olderCredentials(vault: Vault, { kind, target, volume }: Omit<Subject, 'row'>): Settings[] {
  return [settingsOfVolume(vault, volume), ...attemptedCredentials(vault, volume)]
    .map((settings) => withLastingOf(kind, settings, target.settings))
    .filter((settings) => !isDeepStrictEqual(settings, target.settings))
}

/** The resolved image of a target; null before it is resolved. */
export function resolvedImage({ image }: Pick<Target, 'image'>): ResolvedImage | null {
  return typeof image === 'object' ? image : null
}

/** The reference that always names this image: its digest, or its id if the image has no digest. */
export const pinOf = ({ digest, id }: ResolvedImage): string => digest ?? id

/** Whether two targets are equal. Ignores `restarts`. Ignores `image` if one of the targets has none. */
export function sameTarget(a: Target, b: Target): boolean {
  const isImageUnknown = a.image === undefined || b.image === undefined
  const comparable = (target: Target) => ({ ...target, restarts: 0, image: isImageUnknown ? undefined : target.image })
  return isDeepStrictEqual(comparable(a), comparable(b))
}
