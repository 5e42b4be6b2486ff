/**
 * Limits how long the steps of a move are repeated after failures that may pass. While they are, the database can be
 * stopped and other work on it is refused. The limits are kept in memory: they begin again after a restart of Berth.
 */
import { engineReason } from '../../deployments/engine-reason.ts'
import type { DatabaseWait, ServiceReason } from '../../deployments/reason.ts'
import type { EngineFailure } from '../../engine/engine.ts'
import type { EnsureResult } from '../../gateways/ensure-service.ts'
import { fromJson, toJson } from '../../lib/json.ts'
import type { Runtime } from '../../runtime.ts'
import { withoutSecrets } from '../reconcile/failure-text.ts'
import { ifCurrent, type Job, recordWait } from '../reconcile/outcome.ts'
import { findVolume } from '../reconcile/volume-placement.ts'
import type { StatusReason } from '../status.ts'
import type { MoveStep, MoveTable } from './table.ts'

/** After this time without a successful step, the status of the database says why. */
const reportAfterMs = 10_000
/** After this time without a successful step, the database returns to its old node. */
const maxFailingMs = 180_000
/** How often a part of the copy begins again after its connection to the engine broke. */
const maxRestarts = 3

type Attempt = Pick<MoveTable, 'deploymentId' | 'step'>

/** Counts the failures of moves. */
export interface MoveRetries {
  /** Records a failure of the step. Returns for how long the step has been failing: 0 at its first failure. */
  recordFailure(move: Attempt, nowMs: number): number
  /** Forgets the failures of the move's steps. */
  recordSuccess(move: Attempt): void
  /** Records that a part of the copy has to begin again. Returns false if that has happened too often. */
  canRestart(move: Attempt): boolean
  /** Forgets the restarts of a part of the copy that has ended. */
  recordEnd(move: Attempt): void
}

export function moveRetries(): MoveRetries {
  const failing = new Map<string, { step: MoveStep; sinceMs: number }>()
  const restarts = new Map<string, number>()
  const partOf = ({ deploymentId, step }: Attempt) => `${deploymentId} ${step}`
  return {
    recordFailure({ deploymentId, step }, nowMs) {
      const before = failing.get(deploymentId)
      // If the clock is set back, the time must not become longer.
      const sinceMs = before?.step === step ? Math.min(before.sinceMs, nowMs) : nowMs
      failing.set(deploymentId, { step, sinceMs })
      return nowMs - sinceMs
    },
    recordSuccess: ({ deploymentId }) => void failing.delete(deploymentId),
    canRestart(move) {
      const count = (restarts.get(partOf(move)) ?? 0) + 1
      restarts.set(partOf(move), count)
      return count <= maxRestarts
    },
    recordEnd: (move) => void restarts.delete(partOf(move)),
  }
}

/**
 * Decides whether a failed step is repeated, and records the failure if it lasts.
 * @returns false if the move has to be undone. The step `back` is repeated until it succeeds
 */
export async function shouldRepeat(
  runtime: Runtime,
  retries: MoveRetries,
  job: Job,
  move: MoveTable,
  error: EngineFailure,
): Promise<boolean> {
  const failingMs = retries.recordFailure(move, job.readAtMs)
  const logged = { databaseId: job.row.id, step: move.step, detail: error.message }
  if (failingMs === 0) runtime.log.warn('a step of a move failed and will be repeated', logged)
  if (failingMs >= maxFailingMs && move.step !== 'back') return false
  if (failingMs >= reportAfterMs) await recordDelay(runtime, job, move, error)
  return true
}

async function recordDelay(runtime: Runtime, job: Job, move: MoveTable, error: EngineFailure): Promise<void> {
  const delay: DatabaseWait = { reason: 'MoveDelayed', node: move.nodeName, cause: engineReason(error) }
  const volume = await findVolume(runtime.db, job.row)
  await recordWait(runtime, job, withoutSecrets(runtime.vault, delay, job.row, volume))
}

/**
 * Returns why the engine refused to change a service; null if it did not.
 * @throws EngineFailure if a service was busy, so that the step counts as failed
 */
export function refusalIn(results: (EnsureResult | null)[]): ServiceReason | null {
  const failed = results.find((result) => result?.is === 'failed')
  if (failed?.is === 'failed') return failed.reason
  throwFailure(results)
  return null
}

/** @throws EngineFailure if a service could not be changed */
export function throwFailure(results: (EnsureResult | null)[]): void {
  for (const result of results) if (result?.failure !== undefined) throw result.failure
}

/** After a successful step, restores the status that the database had before the move was delayed. */
export async function endDelay(runtime: Runtime, job: Job, move: MoveTable): Promise<void> {
  const { id, observed, statusReason: delay } = job.row
  if (fromJson(delay)?.reason !== 'MoveDelayed') return
  const isStopped = observed === 'unknown'
  const statusReason = isStopped ? toJson<StatusReason>({ reason: 'Moving', node: move.nodeName }) : null
  await ifCurrent(runtime, job, async (tx) => {
    await tx
      .updateTable('database')
      .set({ statusReason })
      .where('id', '=', id)
      .where('statusReason', '=', delay)
      .execute()
  })
}
