/** The digests of what is to run, worked out once and remembered while nothing that they depend on changes. */
import { digestOf } from '../engine/spec.ts'
import { kindNamed } from '../kinds/index.ts'
import type { DatabaseTable, VolumeTable } from '../store/schema.ts'
import { openTarget } from '../store/targets.ts'
import { mountFor } from './home.ts'
import { specsOf } from './specs.ts'
import type { World } from './world.ts'

export interface Wanted { database: string; gateway: string | null }

/** Of a volume, what a specification depends on. */
export type Mounted = Pick<VolumeTable, 'id' | 'name' | 'nodeId' | 'dataPath' | 'serverVersion'>

export type Row = Pick<DatabaseTable, 'id' | 'kind' | 'appName' | 'target'>

/** What was removed meanwhile is forgotten with all others. */
const mostKnown = 10_000

/** Null for a row without a target. */
export function wantedDigests(world: World): (row: Row, volume: Mounted) => Wanted | null {
  const known = new Map<string, { row: Row; volume: Mounted; wanted: Wanted }>()
  return (row, volume) => {
    const before = known.get(row.id)
    if (before !== undefined && isSame(before.row, row) && isSameVolume(before.volume, volume)) return before.wanted
    const wanted = work(world, row, volume)
    if (known.size >= mostKnown) known.clear()
    if (wanted !== null) known.set(row.id, { row, volume, wanted })
    return wanted
  }
}

const isSame = (a: Row, b: Row) => a.target === b.target && a.appName === b.appName
const isSameVolume = (a: Mounted, b: Mounted) =>
  a.id === b.id && a.serverVersion === b.serverVersion && a.dataPath === b.dataPath

function work(world: World, row: Row, volume: Mounted): Wanted | null {
  const specs = wantedSpecs(world, row, volume)
  if (specs === null) return null
  const { database, gateway } = specs
  return { database: digestOf(database), gateway: gateway === null ? null : digestOf(gateway) }
}

/** Null for a row without a target. */
export function wantedSpecs({ vault, config }: World, row: Row, volume: Mounted) {
  const target = openTarget(vault, 'target', row)
  if (target === null) return null
  const kind = kindNamed(row.kind)
  return specsOf(row, target, mountFor({ config }, volume, target, kind), kind, config)
}
