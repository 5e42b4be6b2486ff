/**
 * How work ends, and goes on: the store's side. Every write is guarded by the deployment being the database's present
 * one, so that work that a later call has overtaken writes nothing.
 */
import { isDeepStrictEqual } from 'node:util'
import { noDrift } from '../status.ts'
import * as deployments from '../../deployments/queries.ts'
import type { DatabaseFailure, DatabaseWait, DeploymentReason, VolumeRemovalReason } from '../../deployments/reason.ts'
import type { DeploymentTable } from '../../deployments/table.ts'
import { fromJson, toJson } from '../../lib/json.ts'
import type { DatabaseTable, Writer } from '../../store/schema.ts'
import { sameTarget, sealTarget, type Target, targetOf } from '../targets.ts'
import * as volumes from '../../volumes/queries.ts'
import type { DataFault, VolumeTable } from '../../volumes/table.ts'
import { dataReason } from './data-identity.ts'
import type { Runtime } from '../../runtime.ts'

export interface Job {
  row: DatabaseTable
  deployment: DeploymentTable
  /** When they were read: the clock that may be set since then has nothing to do with the times in them. */
  readAtMs: number
}

type Patch = Partial<Omit<DatabaseTable, 'id'>>

/** Runs the write only while the deployment is the present one. */
export async function ifPresent(
  runtime: Runtime,
  { row, deployment }: Job,
  write: (tx: Writer) => Promise<void>,
): Promise<void> {
  await runtime.transact(async (tx) => {
    const now = await tx.selectFrom('database').select('deploymentId').where('id', '=', row.id).executeTakeFirst()
    if (now?.deploymentId === deployment.id) await write(tx)
  })
}

async function end(runtime: Runtime, job: Job, state: 'done' | 'error', reason: DeploymentReason | null, patch: Patch) {
  await ifPresent(runtime, job, async (tx) => {
    await deployments.finish(tx, job.deployment.id, state, reason, runtime.now())
    await tx
      .updateTable('database')
      .set({ ...patch, deploymentId: null })
      .where('id', '=', job.row.id)
      .execute()
  })
  runtime.log.info('work ended', { action: job.deployment.action, databaseId: job.row.id, state })
}

const up: Patch = { observed: 'up', containerState: 'running', downSince: null, drift: noDrift }
const down: Patch = { observed: 'unknown', containerState: null, downSince: null, drift: noDrift, goal: 'stopped' }

/** The database answered, in the container of this task. After a way back, the work itself has still failed. */
export async function answered(runtime: Runtime, job: Job, target: Target, taskId: string): Promise<void> {
  const { row, deployment } = job
  const lastGood = sealTarget(runtime.vault, 'lastGood', row.id, target)
  const patch: Patch = { ...up, provenTask: taskId, lastGood, lastDeployedAt: runtime.now().toISOString() }
  if (deployment.phase === 'apply') {
    return end(runtime, job, 'done', null, { ...patch, applicationStatus: 'done', statusReason: null })
  }
  const reason: DatabaseFailure = { reason: 'RolledBack', cause: failureOf(job) }
  const back: Patch = { ...up, provenTask: taskId, applicationStatus: 'error', statusReason: toJson(reason) }
  return end(runtime, job, 'error', reason, back)
}

/** No container is left, as wanted: stopped, or halted after a failure. */
export async function stopped(runtime: Runtime, job: Job): Promise<void> {
  if (job.deployment.phase !== 'halt') {
    return end(runtime, job, 'done', null, { ...down, applicationStatus: 'idle', statusReason: null })
  }
  const reason = failureOf(job)
  return end(runtime, job, 'error', reason, { ...down, applicationStatus: 'error', statusReason: toJson(reason) })
}

/** The service is gone; its volume is kept, or gone too. `reason`: why it had to be kept. */
export async function removed(runtime: Runtime, job: Job, reason: VolumeRemovalReason | null): Promise<void> {
  const { row } = job
  const isKept = row.removeData === 0 || reason !== null
  await ifPresent(runtime, job, async (tx) => {
    await deployments.finish(tx, job.deployment.id, reason === null ? 'done' : 'error', reason, runtime.now())
    await tx.deleteFrom('database').where('id', '=', row.id).execute()
    if (row.volumeId === null) return
    if (isKept) await volumes.keep(tx, row.volumeId, runtime.now())
    else await volumes.drop(tx, row.volumeId)
  })
  runtime.log.info('service removed', { databaseId: row.id, volume: isKept ? 'kept' : 'removed' })
}

/** A removal never ends in error while its service is there: for callers it is gone, and nobody could ask again. */
export async function recordRemovalDelay(
  runtime: Runtime,
  job: Job,
  reason: DatabaseFailure | DatabaseWait,
): Promise<void> {
  const { id, reason: before } = job.deployment
  if (isDeepStrictEqual(fromJson(before), reason)) return
  await ifPresent(runtime, job, async (tx) => {
    await deployments.recordReason(tx, id, reason)
  })
  runtime.log.warn('a removal is tried again', { databaseId: job.row.id, reason })
}

/** The work goes on, and its caller can read what it waits for. */
export async function waits(runtime: Runtime, job: Job, status: DatabaseWait): Promise<void> {
  const { id, statusReason: before } = job.row
  if (isDeepStrictEqual(fromJson(before), status)) return
  await ifPresent(runtime, job, async (tx) => {
    await tx
      .updateTable('database')
      .set({ statusReason: toJson(status) })
      .where('id', '=', id)
      .execute()
  })
}

/** Ends the work in error and leaves what runs as it is. */
export async function failed(runtime: Runtime, job: Job, reason: DatabaseFailure): Promise<void> {
  const statusReason = toJson(reason)
  await end(runtime, job, 'error', reason, { applicationStatus: 'error', statusReason, observed: 'down' })
}

/** Why work that left the phase `apply` failed: its deployment has held that since. */
export const failureOf = ({ deployment }: Job): DatabaseFailure => fromJson(deployment.reason) as DatabaseFailure

/** The data is not what it was: halted, and never rolled back, for no other specification would bring it back. */
export async function haltFor(runtime: Runtime, job: Job, volume: VolumeTable, fault: DataFault): Promise<void> {
  const { id, phase } = job.deployment
  const found = dataReason(fault, volume)
  const reason: DatabaseFailure =
    phase === 'apply' ? found : { reason: 'RollbackFailed', cause: failureOf(job), failure: found }
  await ifPresent(runtime, job, async (tx) => {
    await deployments.enterPhase(tx, id, 'halt', reason, runtime.now())
    await volumes.setFault(tx, volume.id, fault)
  })
  runtime.log.warn('a database is halted', { databaseId: job.row.id, volumeId: volume.id, fault })
}

/** Goes on with another phase; the reason is kept for the end. */
export async function turnTo(
  runtime: Runtime,
  job: Job,
  phase: 'rollback' | 'halt',
  reason: DatabaseFailure,
  target: Target | null,
): Promise<void> {
  const { row, deployment } = job
  await ifPresent(runtime, job, async (tx) => {
    await deployments.enterPhase(tx, deployment.id, phase, reason, runtime.now())
    if (target === null) return
    const record = await tx.selectFrom('database').selectAll().where('id', '=', row.id).executeTakeFirstOrThrow()
    const pendingChanges = sameTarget(target, targetOf(runtime.vault, record, 0)) ? 0 : 1
    const patch: Patch = { target: sealTarget(runtime.vault, 'target', row.id, target), pendingChanges }
    await tx.updateTable('database').set(patch).where('id', '=', row.id).execute()
  })
}
