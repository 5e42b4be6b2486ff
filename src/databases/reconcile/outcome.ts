/**
 * Records the outcome of a step. Every write checks that the deployment is still the database's current one, so a
 * superseded deployment writes nothing.
 */
import { isDeepStrictEqual } from 'node:util'
import { type Drift, noDrift } from '../status.ts'
import * as deployments from '../../deployments/queries.ts'
import type {
  DataPlaceReason,
  DatabaseFailure,
  DatabaseWait,
  DeploymentReason,
  ElsewhereReason,
  TaskReason,
  VolumeRemovalReason,
} from '../../deployments/reason.ts'
import type { DeploymentTable } from '../../deployments/table.ts'
import { fromJson, toJson } from '../../lib/json.ts'
import type { DatabaseTable, Writer } from '../../store/schema.ts'
import { sameTarget, sealTarget, type Target, targetOf } from '../targets.ts'
import * as volumes from '../../volumes/queries.ts'
import type { DataFault, VolumeTable } from '../../volumes/table.ts'
import { dataReason } from './data-identity.ts'
import { withoutSecrets } from './failure-text.ts'
import type { Runtime } from '../../runtime.ts'

/** A database with its deployment in progress. */
export interface Job {
  row: DatabaseTable
  deployment: DeploymentTable
  /** When both were read. Durations are computed from this time, because the clock may be set during a step. */
  readAtMs: number
}

type Patch = Partial<Omit<DatabaseTable, 'id'>>

/** Runs `write` in a transaction if the deployment is still the database's current one. */
export async function ifCurrent(
  runtime: Runtime,
  { row, deployment }: Job,
  write: (tx: Writer) => Promise<void>,
): Promise<void> {
  await runtime.transact(async (tx) => {
    const current = await tx.selectFrom('database').select('deploymentId').where('id', '=', row.id).executeTakeFirst()
    if (current?.deploymentId === deployment.id) await write(tx)
  })
}

async function end(runtime: Runtime, job: Job, state: 'done' | 'error', reason: DeploymentReason | null, patch: Patch) {
  await ifCurrent(runtime, job, async (tx) => {
    await deployments.finish(tx, job.deployment.id, state, reason, runtime.now())
    await tx
      .updateTable('database')
      .set({ ...patch, deploymentId: null })
      .where('id', '=', job.row.id)
      .execute()
  })
  runtime.log.info('a deployment ended', { action: job.deployment.action, databaseId: job.row.id, state })
}

const up: Patch = { observed: 'up', containerState: 'running', downSince: null, drift: noDrift }
const stopped: Patch = { observed: 'unknown', containerState: null, downSince: null, drift: noDrift, goal: 'stopped' }

/**
 * Ends the deployment after a login to the server of this task succeeded. In the phase `apply` the deployment is done.
 * After a rollback it ends in error, although the database is up.
 */
export async function recordSuccess(runtime: Runtime, job: Job, target: Target, taskId: string): Promise<void> {
  const { row, deployment } = job
  const lastGood = sealTarget(runtime.vault, 'lastGood', row.id, target)
  const patch: Patch = { ...up, provenTask: taskId, lastGood, lastDeployedAt: runtime.now().toISOString() }
  if (deployment.phase === 'apply') {
    return end(runtime, job, 'done', null, { ...patch, applicationStatus: 'done', statusReason: null })
  }
  const cause = failureOf(job)
  // A restore that changed nothing leaves no trace in the status: its run has the reason.
  if (cause.reason === 'RestoreFailed') {
    return end(runtime, job, 'error', cause, { ...patch, applicationStatus: 'done', statusReason: null })
  }
  const reason: DatabaseFailure = { reason: 'RolledBack', cause }
  const rolledBack: Patch = { ...up, provenTask: taskId, applicationStatus: 'error', statusReason: toJson(reason) }
  return end(runtime, job, 'error', reason, rolledBack)
}

/** Ends the deployment after the last container has ended. A stop is done; a halt ends in error. */
export async function recordStopped(runtime: Runtime, job: Job): Promise<void> {
  if (job.deployment.phase !== 'halt') {
    return end(runtime, job, 'done', null, { ...stopped, applicationStatus: 'idle', statusReason: null })
  }
  const reason = failureOf(job)
  return end(runtime, job, 'error', reason, { ...stopped, applicationStatus: 'error', statusReason: toJson(reason) })
}

/**
 * Ends a removal. Deletes the row of the database, and the row of its volume unless the volume is kept.
 *
 * @param reason why the volume could not be removed; null if it was removed or is kept on request
 */
export async function recordRemoved(runtime: Runtime, job: Job, reason: VolumeRemovalReason | null): Promise<void> {
  const { row } = job
  const isKept = row.removeData === 0 || reason !== null
  await ifCurrent(runtime, job, async (tx) => {
    await deployments.finish(tx, job.deployment.id, reason === null ? 'done' : 'error', reason, runtime.now())
    await tx.deleteFrom('database').where('id', '=', row.id).execute()
    if (row.volumeId === null) return
    if (isKept) await volumes.keep(tx, row.volumeId, runtime.now())
    else await volumes.drop(tx, row.volumeId)
  })
  runtime.log.info('service removed', { databaseId: row.id, volume: isKept ? 'kept' : 'removed' })
}

/**
 * Records why a removal is delayed. A removal does not end in error while its service exists: calls no longer find the
 * database, so nobody could call remove again.
 */
export async function recordRemovalDelay(
  runtime: Runtime,
  job: Job,
  reason: DatabaseFailure | DatabaseWait,
): Promise<void> {
  const { id, reason: before } = job.deployment
  if (isDeepStrictEqual(fromJson(before), reason)) return
  await ifCurrent(runtime, job, async (tx) => {
    await deployments.recordReason(tx, id, reason)
  })
  runtime.log.warn('a removal is delayed and will be retried', { databaseId: job.row.id, reason })
}

/** Records in the database's status what the deployment waits for. */
export async function recordWait(runtime: Runtime, job: Job, status: DatabaseWait): Promise<void> {
  const { id, statusReason: before } = job.row
  if (isDeepStrictEqual(fromJson(before), status)) return
  await ifCurrent(runtime, job, async (tx) => {
    await tx
      .updateTable('database')
      .set({ statusReason: toJson(status) })
      .where('id', '=', id)
      .execute()
  })
}

/** Ends the deployment in error. Does not change what runs. */
export async function recordFailure(runtime: Runtime, job: Job, reason: DatabaseFailure): Promise<void> {
  const statusReason = toJson(reason)
  await end(runtime, job, 'error', reason, { applicationStatus: 'error', statusReason, observed: 'down' })
}

/**
 * Ends the deployment in error without a change of what runs, because a restart or a stop would delete data. The goal is
 * then `up`, so that the watch notices when the data is safe.
 */
export async function recordKept(
  runtime: Runtime,
  job: Job,
  reason: DataPlaceReason,
  lastGood: Target | null,
): Promise<void> {
  if (lastGood !== null) await ifCurrent(runtime, job, (tx) => setTarget(tx, runtime, job.row.id, lastGood))
  const statusReason = toJson<DatabaseFailure>(reason)
  const patch: Patch = { goal: 'up', observed: 'unproven', applicationStatus: 'error', statusReason }
  await end(runtime, job, 'error', reason, patch)
}

/**
 * Ends the deployment in error, because the record is older than the database's service. The goal is then `up`, so that
 * the watch observes the service. A removal waits until somebody removes the service.
 */
export async function recordElsewhere(runtime: Runtime, job: Job, reason: ElsewhereReason): Promise<void> {
  if (job.row.goal === 'gone') return recordRemovalDelay(runtime, job, reason)
  const statusReason = toJson(reason)
  const patch: Patch = { goal: 'up', observed: 'unknown', downSince: null, drift: toJson<readonly Drift[]>([reason]) }
  await end(runtime, job, 'error', reason, { ...patch, applicationStatus: 'error', statusReason })
}

/** Why a deployment left the phase `apply`. The reason is stored with the deployment. */
export const failureOf = ({ deployment }: Job): DatabaseFailure => fromJson(deployment.reason) as DatabaseFailure

/**
 * Enters the phase `halt` because the data is missing, was replaced or is incomplete. A rollback would not restore it.
 *
 * @param cause why the first server on the volume ended, if this is known
 */
export async function haltForDataFault(
  runtime: Runtime,
  job: Job,
  volume: VolumeTable,
  fault: DataFault,
  cause: TaskReason | null = null,
): Promise<void> {
  const { id, phase } = job.deployment
  const fromData = withoutSecrets(runtime.vault, dataReason(fault, volume, cause), job.row, volume)
  const reason: DatabaseFailure =
    phase === 'apply' ? fromData : { reason: 'RollbackFailed', cause: failureOf(job), failure: fromData }
  await ifCurrent(runtime, job, async (tx) => {
    await deployments.enterPhase(tx, id, 'halt', reason, runtime.now())
    await volumes.setFault(tx, volume.id, fault)
  })
  runtime.log.warn('a database was halted', { databaseId: job.row.id, volumeId: volume.id, fault })
}

/**
 * Enters another phase and records the reason, with which the deployment later ends.
 *
 * @param target the target of the new phase; null keeps the present target
 */
export async function continueInPhase(
  runtime: Runtime,
  job: Job,
  phase: 'rollback' | 'halt',
  reason: DatabaseFailure,
  target: Target | null,
): Promise<void> {
  const { row, deployment } = job
  await ifCurrent(runtime, job, async (tx) => {
    await deployments.enterPhase(tx, deployment.id, phase, reason, runtime.now())
    if (target !== null) await setTarget(tx, runtime, row.id, target)
  })
}

/** Replaces the target of a database. Its record keeps the changes, which are then pending. */
async function setTarget(tx: Writer, { vault }: Runtime, id: string, target: Target): Promise<void> {
  const record = await tx.selectFrom('database').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const pendingChanges = sameTarget(target, targetOf(vault, record, 0)) ? 0 : 1
  const patch: Patch = { target: sealTarget(vault, 'target', id, target), pendingChanges }
  await tx.updateTable('database').set(patch).where('id', '=', id).execute()
}
