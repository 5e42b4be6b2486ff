/**
 * The first start of a server on an empty volume. The images initialize an empty data folder in several steps, and skip
 * all of them if the folder has files. If a container ends in between, the next one would run on incomplete data, or
 * would refuse every login. Therefore Berth records the first start before it begins, and allows no second one unless
 * the volume is still empty. The files are never deleted: a client may already have written to the server.
 */
import type { TaskReason } from '../../deployments/reason.ts'
import { EngineFailure, type FoundTask } from '../../engine/engine.ts'
import { kindNamed } from '../../kinds/index.ts'
import type { Kind } from '../../kinds/kind.ts'
import type { Runtime } from '../../runtime.ts'
import * as volumes from '../../volumes/queries.ts'
import type { VolumeTable } from '../../volumes/table.ts'
import { addExitReport } from './failure-text.ts'
import { taskReason } from './task-health.ts'
import type { Target } from '../targets.ts'
import { imageOf } from './specs.ts'

/**
 * Prepares the start of a container on the volume. If the container will initialize the volume, records this.
 *
 * @param exists whether the node has the volume
 * @returns false if an earlier first start was interrupted, so that the container must not start
 */
export async function prepareFirstStart(
  runtime: Runtime,
  kind: Kind,
  volume: VolumeTable,
  target: Target | null,
  exists: boolean,
): Promise<boolean> {
  if (!kind.initializesOnce || volume.serverVersion !== null || volume.identity !== null) return true
  if (exists && volume.initializingSince === null) return true
  if (exists && (await hasFiles(runtime, volume, target))) return false
  await runtime.transact((tx) => volumes.recordInitializing(tx, volume.id, runtime.now()))
  return true
}

/**
 * Looks for containers that have ended while they initialized the volume. The swarm replaces such a container by
 * itself, and the next one must not go on.
 *
 * @param tasks the tasks of the database's server, newest first
 * @returns why the first container ended; null if none has ended, or if the volume is still empty
 */
export async function interruption(
  runtime: Runtime,
  volume: VolumeTable,
  tasks: readonly FoundTask[],
  target: Target | null,
): Promise<TaskReason | null> {
  if (volume.initializingSince === null) return null
  const since = Date.parse(volume.initializingSince)
  const ended = tasks.filter((task) => hasEnded(task) && Date.parse(task.updatedAt) > since)
  const [last, first] = [ended[0], ended.at(-1)]
  if (last === undefined || first === undefined) return null
  if (await hasFiles(runtime, volume, target))
    return addExitReport(runtime, taskReason(first), first, target, kindNamed(volume.kind))
  // These containers have written nothing. Only later ones count from now on.
  await runtime.transact((tx) => volumes.recordInitializing(tx, volume.id, new Date(last.updatedAt)))
  return null
}

/** Whether the task had a container that has ended by itself. */
const hasEnded = ({ state, containerId }: FoundTask) =>
  (state === 'failed' || state === 'complete') && containerId !== null

/** Whether the volume has files. True if this is unknown: the files can then be incomplete. */
async function hasFiles(
  { engine, log, config }: Runtime,
  { id, name, nodeId, dockerImage }: VolumeTable,
  target: Target | null,
): Promise<boolean> {
  try {
    return !(await engine.isVolumeEmpty(name, nodeId, imageOf(target ?? { dockerImage }, config.imageAliases)))
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    log.error('could not look for files on a volume', error, { volumeId: id })
    return error.reason !== 'missing'
  }
}
