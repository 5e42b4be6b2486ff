/**
 * Targets: what a database was last asked to run as, taken from its record at deploy and sealed, for it holds
 * passwords. The record may change on while the target stays what runs.
 */
import { isDeepStrictEqual } from 'node:util'
import { initialTarget, pick, type DeployedColumns, deployedNames } from './columns.ts'
import type { DatabaseTable, VolumeTable } from '../store/schema.ts'
import type { Vault } from '../store/vault.ts'

/** The kind's own fields, secrets among them. */
export type Settings = Record<string, string>

/** What an image's reference stood for when it was last asked. This starts, whatever has its tag by then. */
export interface ResolvedImage {
  /** As it was asked for, with no default of no registry in it. */
  reference: string
  /** `name@sha256:...`; null for an image that no registry has named. */
  digest: string | null
  /** The id, `sha256:...`, that it has on Berth's node. */
  id: string
  /** Of its server, in the parts that its kind tells apart; null: unknown. */
  version: string | null
}

/** Stored as JSON: keys never change. */
export interface Target extends DeployedColumns {
  dockerImage: string
  /**
   * `resolve`: it is to be found out before anything starts; `pull`: and from its registry. Undefined in targets from
   * before images were resolved: what starts is `dockerImage`.
   */
  image?: ResolvedImage | 'resolve' | 'pull'
  settings: Settings
  /** Another number: a new container of the same target. */
  restarts: number
}

type Sealing = { settings: string; secrets: string }

/** The two columns of settings: open ones as JSON, secrets sealed. */
export function sealSettings(
  vault: Vault,
  table: 'database' | 'volume',
  row: string,
  settings: Settings,
  secretNames: readonly string[],
): Sealing {
  const isSecret = ([name]: [string, string]) => secretNames.includes(name)
  const entries = Object.entries(settings)
  const open = Object.fromEntries(entries.filter((entry) => !isSecret(entry)))
  const secret = Object.fromEntries(entries.filter(isSecret))
  const secrets = vault.seal({ table, column: 'secrets', row }, JSON.stringify(secret))
  return { settings: JSON.stringify(open), secrets }
}

export function openSettings(vault: Vault, table: 'database' | 'volume', row: Sealing & { id: string }): Settings {
  const secrets = vault.open({ table, column: 'secrets', row: row.id }, row.secrets)
  return { ...(JSON.parse(row.settings) as Settings), ...(JSON.parse(secrets) as Settings) }
}

export const settingsOfVolume = (vault: Vault, volume: VolumeTable) => openSettings(vault, 'volume', volume)

const triedPlace = (row: string) => ({ table: 'volume', column: 'tried', row })

/** Credentials that may hold inside the volume beside those that were last proven there, the newest first. */
export function triedOn(vault: Vault, { id, tried }: Pick<VolumeTable, 'id' | 'tried'>): Settings[] {
  return tried === null ? [] : (JSON.parse(vault.open(triedPlace(id), tried)) as Settings[])
}

export function sealTried(vault: Vault, volumeId: string, tried: Settings[]): string {
  return vault.seal(triedPlace(volumeId), JSON.stringify(tried))
}

const envPlace = (row: string) => ({ table: 'database', column: 'env', row })

/** The environment holds secrets of applications. */
export function sealEnv(vault: Vault, row: string, env: string | null): string | null {
  return env === null ? null : vault.seal(envPlace(row), env)
}

export function openEnv(vault: Vault, { id, env }: Pick<DatabaseTable, 'id' | 'env'>): string | null {
  return env === null ? null : vault.open(envPlace(id), env)
}

/** What the record asks for now. */
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

/** A target from before a column existed has its initial value, as the record has. */
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

/** Null while it is not known. */
export function resolvedImage({ image }: Pick<Target, 'image'>): ResolvedImage | null {
  return typeof image === 'object' ? image : null
}

/** Another image never has this name. */
export const pinOf = ({ digest, id }: ResolvedImage): string => digest ?? id

/** Equal but for the number of restarts, and for an image that one of them says nothing of. */
export function sameTarget(a: Target, b: Target): boolean {
  const saysNothing = a.image === undefined || b.image === undefined
  const plain = (it: Target) => ({ ...it, restarts: 0, image: saysNothing ? undefined : it.image })
  return isDeepStrictEqual(plain(a), plain(b))
}
