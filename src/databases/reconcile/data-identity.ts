/**
 * Whether a volume still has the data that a server answered with: the volume is there, and so is the mark that the
 * first login left among the data. What a new or a foreign volume has is never taken for it.
 */
import type { DataReason } from '../../deployments/reason.ts'
import { EngineFailure, type FoundTask } from '../../engine/engine.ts'
import { kindNamed } from '../../kinds/index.ts'
import type { DataFault, VolumeTable } from '../../volumes/table.ts'
import type { Runtime } from '../../runtime.ts'

/** In the container, wherever in the volume that is. */
const folderOf = (volume: Pick<VolumeTable, 'kind'>) => kindNamed(volume.kind).dataPath(null)

/** It had data, and its node has no such volume any more: a container would begin with an empty one. */
export async function isMissing(
  { engine }: Runtime,
  { name, nodeId, identity, serverVersion }: VolumeTable,
): Promise<boolean> {
  const hasData = identity !== null || serverVersion !== null
  return hasData && !(await engine.hasVolume(name, nodeId))
}

/** Throws EngineFailure where the container cannot be asked. A volume without an identity has none to compare. */
export async function isReplaced(
  { engine }: Runtime,
  volume: Pick<VolumeTable, 'kind' | 'identity'>,
  task: FoundTask,
): Promise<boolean> {
  return volume.identity !== null && (await engine.dataMark(task, folderOf(volume), null)) !== volume.identity
}

/**
 * The identity of data that a server has just answered with. The mark is written before it is stored: what a Berth that
 * ended in between has left is found. Null where it could not be written; the next login tries again.
 */
export async function identify(
  { engine, log, newId }: Runtime,
  volume: VolumeTable,
  task: FoundTask,
): Promise<string | null> {
  try {
    return volume.identity ?? (await engine.dataMark(task, folderOf(volume), newId()))
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    log.error('the data of a volume could not be marked', error, { volumeId: volume.id })
    return null
  }
}

/** What is stored with work that the fault ends. The fault itself is stored with the volume. */
export const dataReason = (fault: DataFault, { name: volume, nodeName: node, kind }: VolumeTable): DataReason => ({
  reason: fault,
  volume,
  node,
  kind,
})
