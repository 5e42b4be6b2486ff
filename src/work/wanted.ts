/** The digests of what is to run, worked out once and remembered while nothing that they depend on changes. */
import { digestOf } from '../engine/spec.ts'
import { kindNamed } from '../kinds/index.ts'
import type { DatabaseTable, VolumeTable } from '../store/schema.ts'
import { openTarget } from '../store/targets.ts'
import { mountFor } from './home.ts'
import { specsOf } from './specs.ts'
import type { World } from './world.ts'

export interface Wanted { database: string; gateway: string | null }

export type Row = Pick<DatabaseTable, 'id' | 'kind' | 'appName' | 'target'>

/** What was removed meanwhile is forgotten with all others. */
const mostKnown = 10_000

/** Null for a row without a target. */
export function wantedDigests(world: World): (row: Row, volume: VolumeTable) => Wanted | null {
  const known = new Map<string, { key: string; wanted: Wanted }>()
  return (row, volume) => {
    const key = [row.target, row.appName, volume.id, volume.serverVersion, volume.dataPath].join('\n')
    const before = known.get(row.id)
    if (before?.key === key) return before.wanted
    const wanted = work(world, row, volume)
    if (known.size >= mostKnown) known.clear()
    if (wanted !== null) known.set(row.id, { key, wanted })
    return wanted
  }
}

function work(world: World, row: Row, volume: VolumeTable): Wanted | null {
  const specs = wantedSpecs(world, row, volume)
  if (specs === null) return null
  const { database, gateway } = specs
  return { database: digestOf(database), gateway: gateway === null ? null : digestOf(gateway) }
}

/** Null for a row without a target. */
export function wantedSpecs({ vault, config }: World, row: Row, volume: VolumeTable) {
  const target = openTarget(vault, 'target', row)
  if (target === null) return null
  const kind = kindNamed(row.kind)
  return specsOf(row, target, mountFor({ config }, volume, target, kind), kind, config)
}
