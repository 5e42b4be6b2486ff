/**
 * Begins deployments that no call requested: repairs of drift, and halts of servers that run on other data. Each
 * function that begins a deployment returns whether it has begun. No repair begins while a backup is restored into the
 * database; a later turn of the watch loop observes the drift again.
 */
import type { Drift, StatusReason } from '../status.ts'
import * as deployments from '../../deployments/queries.ts'
import type { DeploymentAction, DeploymentTable } from '../../deployments/table.ts'
import { toJson } from '../../lib/json.ts'
import type { DatabaseTable } from '../../store/schema.ts'
import { openTarget, sealTarget } from '../targets.ts'
import * as volumes from '../../volumes/queries.ts'
import type { DataFault, VolumeTable } from '../../volumes/table.ts'
import { unchangedRow, type Watched } from './queries.ts'
import { dataReason } from '../reconcile/data-identity.ts'
import { gatewayName } from '../reconcile/specs.ts'
import type { Runtime } from '../../runtime.ts'

/** The delay after a failed repair before the next one. It doubles with each further failure, up to `maxDoublings`. */
const retryMs = 30_000
const maxDoublings = 4

/** Begins a repair that recreates missing or changed services. A running server is not changed. */
export async function repair(runtime: Runtime, watched: Watched, drift: readonly Drift[]): Promise<boolean> {
  return beginRepair(runtime, watched, 'repair', drift, () => ({}))
}

/** Begins a restart, which replaces the container. Swarm connects the new container to the network. */
export async function restart(runtime: Runtime, watched: Watched, drift: readonly Drift[]): Promise<boolean> {
  return beginRepair(runtime, watched, 'restart', drift, (row) => {
    const target = openTarget(runtime.vault, 'target', row)
    if (target === null) return {}
    return { target: sealTarget(runtime.vault, 'target', row.id, { ...target, restarts: target.restarts + 1 }) }
  })
}

/** Removes the gateway and begins a repair, which recreates it. */
export async function recreateGateway(runtime: Runtime, watched: Watched, drift: readonly Drift[]): Promise<boolean> {
  if (
    (await unchangedRow(runtime.db, watched)) === undefined ||
    (await hasJustFailed(runtime, watched.id, runtime.now()))
  )
    return false
  if ((await runtime.backups.lockingRestore(runtime.db, watched.id)) !== undefined) return false
  await runtime.engine.removeService(gatewayName(watched.id))
  return repair(runtime, watched, drift)
}

/** Whether Berth began this deployment by itself to repair drift. */
export const isRepair = (action: DeploymentAction) => action === 'repair' || action === 'restart'

/** Begins a halt, which stops the service because of a data fault. The database's status changes to `error` at once. */
export async function halt(
  runtime: Runtime,
  watched: Watched,
  volume: VolumeTable,
  fault: DataFault,
): Promise<boolean> {
  const { id: databaseId } = watched
  const at = runtime.now()
  const id = runtime.newId()
  const reason = dataReason(fault, volume)
  const hasBegun = await runtime.transact(async (tx) => {
    const row = await unchangedRow(tx, watched)
    if (row?.volumeId !== volume.id) return false
    const patch: Patch = {
      deploymentId: id,
      applicationStatus: 'error',
      statusReason: toJson(reason),
      observed: 'down',
    }
    await tx.updateTable('database').set(patch).where('id', '=', databaseId).execute()
    await volumes.setFault(tx, volume.id, fault)
    const subject = deployments.subjectOf('database', row)
    await deployments.begin(tx, { id, action: 'halt', subject, phase: 'halt', reason }, at)
    return true
  })
  if (hasBegun) runtime.log.warn('a database was halted', { databaseId, volumeId: volume.id, fault })
  return hasBegun
}

type Patch = Partial<Omit<DatabaseTable, 'id'>>

async function beginRepair(
  runtime: Runtime,
  watched: Watched,
  action: DeploymentAction,
  drift: readonly Drift[],
  change: (row: DatabaseTable) => Patch,
): Promise<boolean> {
  const { id: databaseId } = watched
  const at = runtime.now()
  if (await hasJustFailed(runtime, databaseId, at)) return false
  const id = runtime.newId()
  const statusReason = toJson<StatusReason>({ reason: 'Repairing', drift })
  const hasBegun = await runtime.transact(async (tx) => {
    const row = await unchangedRow(tx, watched)
    if (row === undefined || (await runtime.backups.lockingRestore(tx, databaseId)) !== undefined) return false
    const patch: Patch = {
      ...change(row),
      deploymentId: id,
      applicationStatus: 'running',
      statusReason,
      drift: toJson(drift),
    }
    await tx.updateTable('database').set(patch).where('id', '=', databaseId).execute()
    await deployments.begin(tx, { id, action, subject: deployments.subjectOf('database', row) }, at)
    return true
  })
  if (hasBegun) runtime.log.warn('a repair has begun', { databaseId, action, drift })
  return hasBegun
}

async function hasJustFailed({ db }: Runtime, databaseId: string, now: Date): Promise<boolean> {
  const newest = await deployments.newestOf(db, 'database', databaseId, maxDoublings + 1)
  const isFailedRepair = ({ state, action }: DeploymentTable) => state === 'error' && isRepair(action)
  const firstOther = newest.findIndex((deployment) => !isFailedRepair(deployment))
  const failures = firstOther === -1 ? newest.length : firstOther
  if (failures === 0) return false
  return now.getTime() - Date.parse(newest[0]?.finishedAt ?? '') < retryMs * 2 ** (failures - 1)
}
