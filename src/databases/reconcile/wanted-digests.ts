/**
 * Computes the digests of the wanted specifications, and caches those of a database until its target or volume changes.
 */
import { digestOf } from '../../engine/spec.ts'
import { kindNamed } from '../../kinds/index.ts'
import type { DatabaseTable, Reader } from '../../store/schema.ts'
import { openTarget } from '../targets.ts'
import { type Started, startTarget } from '../login/start-secrets.ts'
import { sealedPrefixOf, type Watched, type WatchedVolume } from '../watch/queries.ts'
import { withMountPath } from './volume-placement.ts'
import { specsOf, type VolumeMount } from './specs.ts'
import type { Runtime } from '../../runtime.ts'

/** The digests of a database's wanted specifications; `gateway` is null if no gateway is wanted. */
export interface Wanted {
  database: string
  gateway: string | null
}

/** The columns of a volume that a specification depends on, with the beginning of its sealed secrets. */
export type Mounted = Pick<
  WatchedVolume,
  'id' | 'name' | 'nodeId' | 'dataPath' | 'serverVersion' | 'generation' | 'startPrefix'
>

/** A volume with what a specification depends on. */
type StartedMount = VolumeMount & Started

type Row = Pick<DatabaseTable, 'id' | 'kind' | 'appName' | 'target'>

/** The parts of a database and its volume that its digests depend on. */
interface Watchable {
  row: Pick<Watched, 'id' | 'appName' | 'targetPrefix'>
  volume: Mounted
}

interface Cached extends Watchable {
  wanted: Wanted | null
}

/** When the cache has this size, it is cleared. This also removes the entries of removed databases. */
const maxCached = 20_000
const batchSize = 200

const targetsOf = (db: Reader, ids: string[]) =>
  db.selectFrom('database').select(['id', 'kind', 'appName', 'target']).where('id', 'in', ids).execute()

const startSecretsOf = (db: Reader, ids: string[]) =>
  db.selectFrom('volume').select(['id', 'startSecrets', 'secrets', 'identity']).where('id', 'in', ids).execute()

const idsOf = (records: readonly { id: string }[]) => records.map(({ id }) => id)
const byId = <R extends { id: string }>(records: readonly R[]) => new Map(records.map((record) => [record.id, record]))

/**
 * Returns a function that computes the wanted digests of many databases. Its result is a function from a database's id
 * to the digests, or to null if the database has no target or if the target changed since the row was read.
 */
export function wantedDigests(runtime: Runtime): (all: readonly Watchable[]) => Promise<(id: string) => Wanted | null> {
  const cache = new Map<string, Cached>()
  return async (all) => {
    if (cache.size >= maxCached) cache.clear()
    const stale = all.filter((watchable) => !isCurrent(cache.get(watchable.row.id), watchable))
    for (let from = 0; from < stale.length; from += batchSize) await read(runtime, stale.slice(from, from + batchSize))
    return (id) => cache.get(id)?.wanted ?? null
  }

  async function read({ db }: Runtime, stale: readonly Watchable[]) {
    const rows = byId(await targetsOf(db, idsOf(stale.map(({ row }) => row))))
    const secrets = byId(await startSecretsOf(db, idsOf(stale.map(({ volume }) => volume))))
    for (const { row, volume } of stale) {
      const [stored, started] = [rows.get(row.id), secrets.get(volume.id)]
      const isAsWatched =
        sealedPrefixOf(stored?.target ?? null) === row.targetPrefix &&
        sealedPrefixOf(started?.startSecrets ?? null) === volume.startPrefix
      if (stored === undefined || started === undefined || !isAsWatched) cache.delete(row.id)
      else cache.set(row.id, { row, volume, wanted: digests(runtime, stored, { ...volume, ...started }) })
    }
  }
}

function isCurrent(before: Cached | undefined, { row, volume }: Watchable): boolean {
  return (
    before?.row.targetPrefix === row.targetPrefix &&
    before.row.appName === row.appName &&
    before.volume.id === volume.id &&
    before.volume.generation === volume.generation &&
    before.volume.serverVersion === volume.serverVersion &&
    before.volume.dataPath === volume.dataPath &&
    before.volume.startPrefix === volume.startPrefix
  )
}

function digests(runtime: Runtime, row: Row, volume: StartedMount): Wanted | null {
  const specs = wantedSpecs(runtime, row, volume)
  if (specs === null) return null
  const { database, gateway } = specs
  return { database: digestOf(database), gateway: gateway === null ? null : digestOf(gateway) }
}

/** The wanted specifications of a database; null for a row without a target. */
export function wantedSpecs({ vault, config }: Runtime, row: Row, volume: StartedMount) {
  const target = openTarget(vault, 'target', row)
  if (target === null) return null
  const kind = kindNamed(row.kind)
  const mount = withMountPath({ config }, volume, target, kind)
  return specsOf(row, startTarget(vault, volume, target), mount, kind, config)
}
