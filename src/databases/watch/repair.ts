/**
 * How Berth begins by itself to mend what drifted, or to halt what runs on other data: as a deployment like any other.
 * Each tells whether it began. Nothing is mended while a backup is restored into the database: the next look finds the
 * drift again.
 */
import type { Drift, StatusReason } from '../status.ts'
import * as deployments from '../../deployments/queries.ts'
import type { DeploymentAction } from '../../deployments/table.ts'
import { toJson } from '../../lib/json.ts'
import { restoreHolding } from '../../backups/database-locks.ts'
import type { DatabaseTable } from '../../store/schema.ts'
import { openTarget, sealTarget } from '../targets.ts'
import * as volumes from '../../volumes/queries.ts'
import type { DataFault, VolumeTable } from '../../volumes/table.ts'
import { unchangedRow, type Watched } from './queries.ts'
import { dataReason } from '../reconcile/data-identity.ts'
import { gatewayName } from '../reconcile/specs.ts'
import type { Runtime } from '../../runtime.ts'

/** After a repair that failed the next is not tried at once. */
const retryMs = 30_000

/** What is missing or was changed is made again; what runs stays as it is. */
export async function repair(runtime: Runtime, seen: Watched, drift: readonly Drift[]): Promise<boolean> {
  return mend(runtime, seen, 'repair', drift, () => ({}))
}

/** A new container, which the swarm puts on the network again. */
export async function restart(runtime: Runtime, seen: Watched, drift: readonly Drift[]): Promise<boolean> {
  return mend(runtime, seen, 'restart', drift, (row) => {
    const target = openTarget(runtime.vault, 'target', row)
    if (target === null) return {}
    return { target: sealTarget(runtime.vault, 'target', row.id, { ...target, restarts: target.restarts + 1 }) }
  })
}

/** The gateway alone: it is found missing and made again. */
export async function remakeGateway(runtime: Runtime, seen: Watched, drift: readonly Drift[]): Promise<boolean> {
  if ((await unchangedRow(runtime.db, seen)) === undefined || (await hasJustFailed(runtime, seen.id, runtime.now())))
    return false
  if ((await restoreHolding(runtime.db, seen.id)) !== undefined) return false
  await runtime.engine.removeService(gatewayName(seen.id))
  return repair(runtime, seen, drift)
}

/** Nobody asked for it. */
export const isMending = (action: DeploymentAction) => action === 'repair' || action === 'restart'

/** The service is to have no container. That it is an error is said at once. */
export async function halt(runtime: Runtime, seen: Watched, volume: VolumeTable, fault: DataFault): Promise<boolean> {
  const { id: databaseId } = seen
  const at = runtime.now()
  const id = runtime.newId()
  const reason = dataReason(fault, volume)
  const began = await runtime.transact(async (tx) => {
    const row = await unchangedRow(tx, seen)
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
  if (began) runtime.log.warn('a database is halted', { databaseId, volumeId: volume.id, fault })
  return began
}

type Patch = Partial<Omit<DatabaseTable, 'id'>>

async function mend(
  runtime: Runtime,
  seen: Watched,
  action: DeploymentAction,
  drift: readonly Drift[],
  change: (row: DatabaseTable) => Patch,
): Promise<boolean> {
  const { id: databaseId } = seen
  const at = runtime.now()
  if (await hasJustFailed(runtime, databaseId, at)) return false
  const id = runtime.newId()
  const statusReason = toJson<StatusReason>({ reason: 'Repairing', drift })
  const began = await runtime.transact(async (tx) => {
    const row = await unchangedRow(tx, seen)
    if (row === undefined || (await restoreHolding(tx, databaseId)) !== undefined) return false
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
  if (began) runtime.log.warn('a database is mended', { databaseId, action, drift })
  return began
}

async function hasJustFailed({ db }: Runtime, databaseId: string, now: Date): Promise<boolean> {
  const last = await deployments.lastOf(db, 'database', databaseId)
  if (last?.state !== 'error' || !isMending(last.action)) return false
  return now.getTime() - Date.parse(last.finishedAt ?? '') < retryMs
}
