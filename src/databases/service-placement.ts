/**
 * Compares the volume and the node of a database's service with the database's record. After a restore of Berth's
 * state, the record can name an older volume than the service uses. Pure.
 */
import type { ElsewhereReason } from '../deployments/reason.ts'
import type { FoundNode, NamedService } from '../engine/engine.ts'
import { generationLabel } from '../engine/labels.ts'
import type { VolumeTable } from '../volumes/table.ts'

/** Where a database is. `nodeId` is null if the service is not pinned to a node. */
export interface Placement {
  volume: string
  nodeId: string | null
  /** Each switch to another volume raises this number. 0: unknown, because an older version of Berth made the volume. */
  generation: number
}

export interface PlacementDifference {
  /** Null: the record has no volume. */
  recorded: Placement | null
  found: Placement
}

type RecordedVolume = Pick<VolumeTable, 'name' | 'nodeId' | 'generation'>
type PlacedService = Pick<NamedService, 'volumes' | 'nodeId' | 'labels'>

/**
 * Returns where the service is if this differs from the record; otherwise null.
 *
 * @param volume the volume in the record; null if the record has none
 */
export function placementDifference(volume: RecordedVolume | null, service: PlacedService): PlacementDifference | null {
  const found = placementOf(service, volume?.name)
  if (found === null) return null
  if (volume === null) return { recorded: null, found }
  const { name, nodeId, generation } = volume
  const isSameNode = found.nodeId === null || found.nodeId === nodeId
  return found.volume === name && isSameNode ? null : { recorded: { volume: name, nodeId, generation }, found }
}

/**
 * Returns where the service is if this differs from the record, and if the service is not older than the record: Berth
 * must then leave the service as it is. The higher generation is newer. With equal generations the service is newer,
 * because its server has run; a service without a generation is newer only while it should run.
 *
 * @param volume the volume in the record; null if the record has none
 */
export function newerPlacement(
  volume: RecordedVolume | null,
  service: PlacedService & Pick<NamedService, 'replicas'>,
): PlacementDifference | null {
  const difference = placementDifference(volume, service)
  if (difference === null || difference.recorded === null) return difference
  const [found, recorded] = [difference.found.generation, difference.recorded.generation]
  const isNewer = found > recorded || (found === recorded && (found > 0 || service.replicas > 0))
  return isNewer ? difference : null
}

/** The volume, the node and the generation of a service; null if the service mounts no volume. */
export function placementOf({ volumes, nodeId, labels }: PlacedService, recorded = ''): Placement | null {
  const volume = volumes.includes(recorded) ? recorded : volumes[0]
  if (volume === undefined) return null
  const generation = Number(labels[generationLabel] ?? 0)
  return { volume, nodeId, generation: Number.isSafeInteger(generation) ? generation : 0 }
}

/** The difference as a reason, with the names of the nodes. */
export function elsewhereReason(
  service: string,
  { recorded, found }: PlacementDifference,
  nodes: readonly Pick<FoundNode, 'id' | 'hostname'>[],
): ElsewhereReason {
  const named = ({ volume, nodeId, generation }: Placement) => {
    const node = nodeId === null ? null : (nodes.find(({ id }) => id === nodeId)?.hostname ?? nodeId)
    return { volume, node, generation }
  }
  return {
    reason: 'PlacedElsewhere',
    service,
    recorded: recorded === null ? null : named(recorded),
    found: named(found),
  }
}
