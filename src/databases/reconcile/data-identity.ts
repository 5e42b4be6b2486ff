/**
 * Checks that a database may use its volume, and that the volume still contains its data: the volume must exist, have
 * no other user, and contain the mark that Berth wrote after the first login. Without these checks, Berth could take an
 * empty or a foreign volume for the database's own, or start a second server on it.
 */
import type { DataReason, ElsewhereReason, TaskReason, VolumeUseReason } from '../../deployments/reason.ts'
import {
  EngineFailure,
  type FoundNode,
  type FoundTask,
  type NamedService,
  type VolumeUse,
} from '../../engine/engine.ts'
import { ownershipOf } from '../../engine/plan.ts'
import { kindNamed } from '../../kinds/index.ts'
import type { DataFault, VolumeTable } from '../../volumes/table.ts'
import { volumeUseReason, volumeUsers } from '../../volumes/users.ts'
import type { Runtime } from '../../runtime.ts'
import type { DatabaseTable } from '../../store/schema.ts'
import { elsewhereReason, newerPlacement } from '../service-placement.ts'

/** The folder of the mark inside the container. */
const folderOf = (volume: Pick<VolumeTable, 'kind'>) => kindNamed(volume.kind).dataPath(null)

/**
 * Returns why the database's service must be left as it is: it has another volume or node than the record, and is not
 * older than the record. Null if Berth may change the service.
 *
 * @param volume the volume in the record; null if the record has none
 */
export async function findElsewhere(
  { installationId }: Runtime,
  { id: databaseId, appName }: Pick<DatabaseTable, 'id' | 'appName'>,
  volume: VolumeTable | null,
  { services, nodes }: { services: NamedService[]; nodes(): Promise<FoundNode[]> },
): Promise<ElsewhereReason | null> {
  const service = services.find(({ name }) => name === appName)
  if (service === undefined || ownershipOf(service, { installationId, databaseId }) !== 'own') return null
  const difference = newerPlacement(volume, service)
  return difference === null ? null : elsewhereReason(appName, difference, await nodes())
}

/** Why a container must not start on a volume now. `ending`: the containers that still use the volume are ending. */
export type StartObstacle =
  | { is: 'missing' }
  | { is: 'inUse'; reason: VolumeUseReason }
  | { is: 'ending'; containers: string[] }

/**
 * Looks for an obstacle on the node of the volume: a volume with data is missing, so that the container would get a
 * new, empty volume; or another server uses the volume.
 *
 * @param service the name of the service that is about to start
 */
export async function startObstacle(
  runtime: Runtime,
  volume: StartVolume,
  service: string,
  databaseId: string | null,
): Promise<StartObstacle | null> {
  return obstacleIn(runtime, await runtime.engine.volumeUse(volume.name, volume.nodeId), volume, service, databaseId)
}

export type StartVolume = Pick<VolumeTable, 'name' | 'nodeId' | 'identity' | 'serverVersion' | 'copiedAt'>

/** Like `startObstacle`, for a use of the volume that was just read. */
export function obstacleIn(
  { installationId }: Pick<Runtime, 'installationId'>,
  use: VolumeUse,
  { name, identity, serverVersion, copiedAt }: StartVolume,
  service: string,
  databaseId: string | null,
): StartObstacle | null {
  const users = volumeUsers(use, { name: service, owner: { installationId, databaseId } })
  const reason = volumeUseReason(name, service, users)
  if (reason !== null) return { is: 'inUse', reason }
  if (users.ending.length > 0) return { is: 'ending', containers: users.ending }
  const hasData = identity !== null || serverVersion !== null || copiedAt !== null
  return hasData && !use.exists ? { is: 'missing' } : null
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

/**
 * Does the same for a server that waits for its clearance, and then lets clients reach it.
 *
 * @throws EngineFailure if the mark or the clearance could not be written
 */
export async function clearServer(
  { engine, newId }: Runtime,
  volume: VolumeTable,
  task: FoundTask,
): Promise<string | null> {
  const fresh = volume.identity === null ? newId() : null
  const mark = await engine.clear(task, folderOf(volume), fresh)
  return volume.identity ?? mark
}

/**
 * The deployment's reason for a data fault. The fault itself is stored with the volume.
 *
 * @param cause why the first server on the volume ended, if this is known
 */
export function dataReason(
  fault: DataFault,
  { name: volume, nodeName: node, kind }: VolumeTable,
  cause: TaskReason | null = null,
): DataReason {
  const where = { volume, node, kind }
  return fault === 'FirstStartInterrupted' ? { reason: fault, ...where, cause } : { reason: fault, ...where }
}
