/** The digests of what is to run, worked out once and remembered while nothing that they depend on changes. */
import { digestOf } from '../../engine/spec.ts'
import { kindNamed } from '../../kinds/index.ts'
import type { DatabaseTable, Reader, VolumeTable } from '../../store/schema.ts'
import { openTarget } from '../targets.ts'
import { markOf, type Watched } from '../watch/queries.ts'
import { mountFor } from './volume-placement.ts'
import { specsOf } from './specs.ts'
import type { Runtime } from '../../runtime.ts'

export interface Wanted {
  database: string
  gateway: string | null
}

/** Of a volume, what a specification depends on. */
export type Mounted = Pick<VolumeTable, 'id' | 'name' | 'nodeId' | 'dataPath' | 'serverVersion'>

type Row = Pick<DatabaseTable, 'id' | 'kind' | 'appName' | 'target'>

interface Pinned {
  row: Pick<Watched, 'id' | 'appName' | 'mark'>
  volume: Mounted
}

interface Known extends Pinned {
  wanted: Wanted | null
}

/** What was removed meanwhile is forgotten with all others. */
const maxKnown = 20_000
const readAtOnce = 200

const targetsOf = (db: Reader, ids: string[]) =>
  db.selectFrom('database').select(['id', 'kind', 'appName', 'target']).where('id', 'in', ids).execute()

/** Gives, by a database's id, what is wanted of it; null for one without a target, or whose target changed since. */
export function wantedDigests(runtime: Runtime): (all: readonly Pinned[]) => Promise<(id: string) => Wanted | null> {
  const known = new Map<string, Known>()
  return async (all) => {
    if (known.size >= maxKnown) known.clear()
    const news = all.filter((it) => !isKnown(known.get(it.row.id), it))
    for (let from = 0; from < news.length; from += readAtOnce) await read(runtime, news.slice(from, from + readAtOnce))
    return (id) => known.get(id)?.wanted ?? null
  }

  async function read({ db }: Runtime, news: readonly Pinned[]) {
    const rows = new Map(
      (
        await targetsOf(
          db,
          news.map(({ row }) => row.id),
        )
      ).map((row) => [row.id, row]),
    )
    for (const { row, volume } of news) {
      const whole = rows.get(row.id)
      if (whole === undefined || markOf(whole.target) !== row.mark) known.delete(row.id)
      else known.set(row.id, { row, volume, wanted: work(runtime, whole, volume) })
    }
  }
}

function isKnown(before: Known | undefined, { row, volume }: Pinned): boolean {
  return (
    before?.row.mark === row.mark &&
    before.row.appName === row.appName &&
    before.volume.id === volume.id &&
    before.volume.serverVersion === volume.serverVersion &&
    before.volume.dataPath === volume.dataPath
  )
}

function work(runtime: Runtime, row: Row, volume: Mounted): Wanted | null {
  const specs = wantedSpecs(runtime, row, volume)
  if (specs === null) return null
  const { database, gateway } = specs
  return { database: digestOf(database), gateway: gateway === null ? null : digestOf(gateway) }
}

/** Null for a row without a target. */
export function wantedSpecs({ vault, config }: Runtime, row: Row, volume: Mounted) {
  const target = openTarget(vault, 'target', row)
  if (target === null) return null
  const kind = kindNamed(row.kind)
  return specsOf(row, target, mountFor({ config }, volume, target, kind), kind, config)
}
