/**
 * Checks that a volume still contains a database's data: the volume must exist and contain the mark that Berth wrote
 * after the first login. Without this check, Berth could take an empty or a foreign volume for the database's own.
 */
import type { DataReason } from '../../deployments/reason.ts'
import { EngineFailure, type FoundTask } from '../../engine/engine.ts'
import { kindNamed } from '../../kinds/index.ts'
import type { DataFault, VolumeTable } from '../../volumes/table.ts'
import type { Runtime } from '../../runtime.ts'

/** The folder of the mark inside the container. */
const folderOf = (volume: Pick<VolumeTable, 'kind'>) => kindNamed(volume.kind).dataPath(null)

/**
 * Whether a volume that had data is missing on its node. A container that starts then would get a new, empty volume.
 */
export async function isVolumeMissing(
  { engine }: Runtime,
  { name, nodeId, identity, serverVersion }: VolumeTable,
): Promise<boolean> {
  const hasData = identity !== null || serverVersion !== null
  return hasData && !(await engine.hasVolume(name, nodeId))
}

/**
 * Whether the container has other data than the volume had at its last login. False if no mark is recorded.
 *
 * @throws EngineFailure if the container cannot be read
 */
export async function isDataReplaced(
  { engine }: Runtime,
  volume: Pick<VolumeTable, 'kind' | 'identity'>,
  task: FoundTask,
): Promise<boolean> {
  return volume.identity !== null && (await engine.dataMark(task, folderOf(volume), null)) !== volume.identity
}

/**
 * Returns the mark of the volume's data, and writes a mark if the data has none. Call this after a login to the server
 * has succeeded. The caller stores the mark afterwards; after a crash in between, the next call returns the written
 * mark. Returns null if the mark could not be written; the next login tries again.
 */
export async function ensureDataMark(
  { engine, log, newId }: Runtime,
  volume: VolumeTable,
  task: FoundTask,
): Promise<string | null> {
  try {
    return volume.identity ?? (await engine.dataMark(task, folderOf(volume), newId()))
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    log.error('could not write the mark to the data of a volume', error, { volumeId: volume.id })
    return null
  }
}

/** The deployment's reason for a data fault. The fault itself is stored with the volume. */
export const dataReason = (fault: DataFault, { name: volume, nodeName: node, kind }: VolumeTable): DataReason => ({
  reason: fault,
  volume,
  node,
  kind,
})
