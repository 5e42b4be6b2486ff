/**
 * Checks that a server keeps its data on the volume of its database. Data elsewhere in the container is deleted with the
 * container, which each restart replaces. The server itself says where its data is, so the check finds an argument, a
 * variable, a configuration file of the image and a symbolic link alike.
 */
import type { DataPlaceReason } from '../deployments/reason.ts'
import { type DataPlace, isWithin } from '../engine/data/data-places.ts'
import { EngineFailure, type FoundTask } from '../engine/engine.ts'
import type { Change } from '../engine/plan.ts'
import type { Kind } from '../kinds/kind.ts'
import { loginOutput } from '../kinds/login-output.ts'
import { fromJson, toJson } from '../lib/json.ts'
import type { Runtime } from '../runtime.ts'
import type { VolumeTable } from '../store/schema.ts'
import type { StepContext } from './reconcile/fail.ts'
import * as volumes from '../volumes/queries.ts'
import { settingsOfVolume } from './targets.ts'

const loginTimeoutMs = 10_000
/** The maximum number of paths that a reason names. */
const maxPaths = 5

/**
 * Returns why the data of a server is not on its volume, or null if it is there. Call this after a login.
 *
 * @param output the standard output of the login program
 * @throws EngineFailure if the container cannot be read
 */
export async function findStrayData(
  runtime: Runtime,
  volume: PlacesVolume,
  task: FoundTask,
  output: string,
): Promise<DataPlaceReason | null> {
  return findStrayFiles(runtime, volume, task, loginOutput(output).paths)
}

/**
 * Like `findStrayData`, for a server that has run for some time. If the server accepts no login, this looks for the files
 * that it had when it was last asked; if the container cannot be read either, it uses what was last found there. Null if
 * nothing is known: then only a restart may help, and it must not be refused for ever.
 */
export async function findStrayDataOf(
  runtime: Runtime,
  kind: Kind,
  volume: VolumeTable,
  task: FoundTask,
): Promise<DataPlaceReason | null> {
  if (volume.serverVersion === null) return null
  const known = fromJson(volume.dataPlaces) ?? { paths: [], places: [] }
  const paths = kind.fixedPaths ?? (await askPaths(runtime, kind, volume, task))
  try {
    return await findStrayFiles(runtime, volume, task, paths.length > 0 ? paths : known.paths)
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    return strayReason(volume, known.places)
  }
}

type PlacesVolume = Pick<VolumeTable, 'id' | 'name' | 'dataPath' | 'serverVersion' | 'dataPlaces'>

/** Looks for the files in the container, and records where they are. */
async function findStrayFiles(
  { engine, transact }: Runtime,
  volume: PlacesVolume,
  task: FoundTask,
  paths: readonly string[],
): Promise<DataPlaceReason | null> {
  if (paths.length === 0) return null
  const places = await engine.dataPlaces(task, [...paths])
  const recorded = toJson({ paths, places })
  if (recorded !== volume.dataPlaces) await transact((tx) => volumes.recordDataPlaces(tx, volume.id, recorded))
  return strayReason(volume, places)
}

/** The paths that the server reports now; empty if it accepts no login. */
async function askPaths({ engine, vault }: Runtime, kind: Kind, volume: VolumeTable, task: FoundTask) {
  if (task.address === null) return []
  const program = kind.ready(settingsOfVolume(vault, volume), { host: task.address, port: kind.port })
  try {
    const { exitCode, stdout } = await engine.run(task, program, loginTimeoutMs)
    return exitCode === 0 ? loginOutput(stdout).paths : []
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    return []
  }
}

/**
 * Returns why the changes of a deployment would delete data of the running server, or null. A server that no login has
 * proven holds no data that anybody relies on: a rollback may replace it.
 */
export async function findStrayDataBefore(
  runtime: Runtime,
  { job: { row, deployment }, kind, volume }: StepContext,
  tasks: readonly FoundTask[],
  changes: readonly Change[],
): Promise<DataPlaceReason | null> {
  if (volume === null || row.goal === 'gone' || deployment.phase !== 'apply') return null
  if (!changes.some((change) => change.do === 'update' && change.spec.name === row.appName)) return null
  const task = tasks.find(({ id, state }) => id === row.provenTask && state === 'running')
  return task === undefined ? null : findStrayDataOf(runtime, kind, volume, task)
}

/** The reason for the places outside the volume. A place inside another such place is not named. Pure. */
export function strayReason(
  { name: volume, dataPath: folder, serverVersion }: Pick<VolumeTable, 'name' | 'dataPath' | 'serverVersion'>,
  found: readonly DataPlace[],
): DataPlaceReason | null {
  const outside = found.filter(({ mount }) => mount !== folder)
  const roots = outside.filter(
    ({ target }, index) =>
      !outside.some((other, at) => isWithin(target, other.target) && (target !== other.target || at < index)),
  )
  if (roots.length === 0) return null
  const places = roots.slice(0, maxPaths).map(({ path, target }) => ({ path, target }))
  return {
    reason: 'DataOutsideVolume',
    volume,
    folder,
    places,
    more: roots.length - places.length,
    isFirstStart: serverVersion === null,
  }
}
