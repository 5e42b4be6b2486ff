/**
 * One step of a database's move to another node. The step depends only on the store and the engine. Until the
 * transaction in `switchVolume` (progress.ts), the database belongs to the old volume, and after any failure it starts
 * there again. After that transaction it belongs to the new volume, and the rest is a normal start. Two servers never
 * run on the same volume.
 */
import { engineReason } from '../../deployments/engine-reason.ts'
import * as deployments from '../../deployments/queries.ts'
import type { DatabaseFailure, NodeReason } from '../../deployments/reason.ts'
import { EngineFailure, EngineUnavailable, type NamedService } from '../../engine/engine.ts'
import { isTransient } from '../../engine/failures.ts'
import { type PlacementReason, usableNodes } from '../../engine/placement.ts'
import { kindNamed } from '../../kinds/index.ts'
import type { MoveTable } from './table.ts'
import { deleteMove } from './queries.ts'
import { continueMove, type MoveContext, recordVolume, switchVolume, undoMove } from './progress.ts'
import { endServers, type Side, temporaryServerName, temporaryServerSpec } from './temporary-servers.ts'
import type { VolumeTable } from '../../store/schema.ts'
import { startTarget } from '../login/start-secrets.ts'
import { openTarget } from '../targets.ts'
import * as volumes from '../../volumes/queries.ts'
import type { ShouldRetry } from '../reconcile/step.ts'
import { nodeUnavailableReason, type VolumeNode } from '../../cluster/availability.ts'
import { remainingContainers } from '../reconcile/drain.ts'
import { findVolume } from '../reconcile/volume-placement.ts'
import { dataReason, findElsewhere, startObstacle } from '../reconcile/data-identity.ts'
import { ensureService } from '../../gateways/ensure-service.ts'
import { ifCurrent, type Job } from '../reconcile/outcome.ts'
import { databaseSpec, gatewayName } from '../reconcile/specs.ts'
import type { Runtime } from '../../runtime.ts'

/** Runs the copies of moves in the background, because a copy takes longer than a step may. */
export interface MoveCopies {
  /**
   * Begins the copy, unless it is running already or too many other copies run. A later step then calls this again. The
   * copy records its outcome in the store.
   */
  ensureRunning(moveContext: MoveContext): void
  /** Aborts the copy of a deployment, if there is one, and waits for its end. */
  cancel(deploymentId: string): Promise<void>
  /** Aborts all copies and waits for their end. */
  stop(): Promise<void>
}

/**
 * Runs one step of a move. After an engine failure that may pass, the next turn repeats the step. After another
 * failure, the following steps return the database to its old volume, and are repeated until they succeed.
 */
export async function stepMove(
  runtime: Runtime,
  moveCopies: MoveCopies,
  job: Job,
  move: MoveTable,
  shouldRetry: ShouldRetry,
): Promise<void> {
  try {
    await step(runtime, moveCopies, job, move)
  } catch (error) {
    if (error instanceof EngineUnavailable) throw error
    const isEngineFailure = error instanceof EngineFailure
    const isRetryable = isEngineFailure && (isTransient(error) || shouldRetry(error))
    runtime.log.error('a step of a move failed', error, { databaseId: job.row.id, step: move.step })
    if (isRetryable || move.step === 'back') return
    const from = await findVolume(runtime.db, job.row)
    const reason: DatabaseFailure = isEngineFailure
      ? engineReason(error)
      : { reason: 'InternalError', deploymentId: move.deploymentId }
    await undoMove(runtime, { job, move, from: from! }, reason)
  }
}

async function step(runtime: Runtime, moveCopies: MoveCopies, job: Job, move: MoveTable): Promise<void> {
  const { row } = job
  const target = openTarget(runtime.vault, 'target', row)!
  const from = await volumes.get(runtime.db, row.volumeId!)
  const to =
    (await volumes.find(runtime.db, move.volumeId)) ??
    (move.step === 'back' ? null : await recordVolume(runtime, job, move, from, target))
  const names = [
    row.appName,
    gatewayName(row.id),
    temporaryServerName(move, 'source'),
    temporaryServerName(move, 'target'),
  ]
  const existing = await runtime.engine.servicesNamed(names)
  if (move.step === 'back' || to === null)
    return returnToOldVolume(runtime, moveCopies, { job, move, from, to }, existing)
  const moveContext = { job, move, target, from, to }
  const newer = await findElsewhere(runtime, row, from, { services: existing, nodes: () => runtime.engine.nodes() })
  if (newer !== null) return undoMove(runtime, moveContext, newer)
  const unavailable = await unavailability(runtime, moveContext)
  if (unavailable !== null) return undoMove(runtime, moveContext, unavailable)
  switch (move.step) {
    case 'prepare':
      return runServers(runtime, moveCopies, moveContext, ['target'], existing)
    case 'stop':
      return stop(runtime, moveContext, existing)
    case 'copy':
      return runServers(runtime, moveCopies, moveContext, ['source', 'target'], existing)
    case 'clear':
      return clear(runtime, moveContext, existing)
  }
}

/**
 * Why a node of the move cannot be used, or null. Before the database is stopped, both nodes must accept containers.
 */
async function unavailability(
  { engine }: Runtime,
  { move, from, to }: Pick<MoveContext, 'move' | 'from' | 'to'>,
): Promise<NodeReason | PlacementReason | null> {
  const nodes = await engine.nodes()
  const unavailable = nodeUnavailableReason(nodes, from) ?? nodeUnavailableReason(nodes, to)
  if (unavailable !== null || move.step !== 'prepare') return unavailable
  const usable = [from, to].map(({ nodeId }) => usableNodes(nodes, { node: nodeId, nodeLabel: null }))
  return usable.find((result) => 'reason' in result) ?? null
}

/**
 * Creates the temporary servers. After they exist, starts the part of the copy that belongs to the step. That part
 * records its outcome in the store.
 */
async function runServers(
  runtime: Runtime,
  moveCopies: MoveCopies,
  moveContext: MoveContext,
  sides: Side[],
  existing: NamedService[],
) {
  if (!(await mayStart(runtime, moveContext, sides, existing))) return
  const results = await Promise.all(
    sides.map((side) =>
      ensureService(
        runtime,
        temporaryServerName(moveContext.move, side),
        moveContext.job.row.id,
        temporaryServerSpec(runtime, moveContext, side),
        existing,
      ),
    ),
  )
  const failed = results.find((result) => result?.is === 'failed')
  if (failed?.is === 'failed') return undoMove(runtime, moveContext, failed.reason)
  if (results.every((result) => result === null)) moveCopies.ensureRunning(moveContext)
}

/**
 * Whether the temporary servers that do not exist yet may start on their volumes now. Undoes the move if one of them
 * can never start.
 */
async function mayStart(
  runtime: Runtime,
  moveContext: MoveContext,
  sides: Side[],
  existing: NamedService[],
): Promise<boolean> {
  for (const side of sides) {
    const name = temporaryServerName(moveContext.move, side)
    if (existing.some((service) => service.name === name)) continue
    const volume = side === 'source' ? moveContext.from : { ...moveContext.to, serverVersion: null }
    const obstacle = await startObstacle(runtime, volume, name, moveContext.job.row.id)
    if (obstacle === null) continue
    if (obstacle.is === 'missing') await undoMove(runtime, moveContext, dataReason('VolumeMissing', moveContext.from))
    if (obstacle.is === 'inUse') await undoMove(runtime, moveContext, obstacle.reason)
    return false
  }
  return true
}

/** Stops the database. After its last container has ended, records the step `copy`. */
async function stop(runtime: Runtime, moveContext: MoveContext, existing: NamedService[]): Promise<void> {
  const {
    job: { row },
    target,
    from,
  } = moveContext
  const kind = kindNamed(row.kind)
  const started = startTarget(runtime.vault, from, target)
  const spec = databaseSpec(row, started, from, kind, runtime.config.imageAliases, 0)
  const results = [
    await ensureService(runtime, row.appName, row.id, spec, existing),
    await ensureService(runtime, gatewayName(row.id), row.id, null, existing),
  ]
  const failed = results.find((result) => result?.is === 'failed')
  if (failed?.is === 'failed') return undoMove(runtime, moveContext, failed.reason)
  if (results.some((result) => result !== null)) return
  if ((await remainingContainers(runtime, [row.appName, gatewayName(row.id)], spec)).length > 0) return
  await continueMove(runtime, moveContext, 'copy')
}

/** Removes both temporary servers, then switches the database to the new volume. */
async function clear(runtime: Runtime, moveContext: MoveContext, existing: NamedService[]): Promise<void> {
  if (!(await endServers(runtime, moveContext.move, ['source', 'target'], existing))) return
  await switchVolume(runtime, moveContext)
}

interface UndoContext extends Pick<MoveContext, 'job' | 'move' | 'from'> {
  to: VolumeTable | null
}

/**
 * Ends the copy and both temporary servers. Then begins the removal of the new volume and ends the move, so that the
 * next steps of the deployment start the database on its old volume. If the new node is unavailable, this does not wait
 * for the end of its temporary server.
 */
async function returnToOldVolume(
  runtime: Runtime,
  moveCopies: MoveCopies,
  moveContext: UndoContext,
  existing: NamedService[],
): Promise<void> {
  const { job, move, to } = moveContext
  // `recordVolume` has just recorded the step `back`. The next turn runs that step.
  if (move.step !== 'back') return
  await moveCopies.cancel(move.deploymentId)
  const hasSourceEnded = await endServers(runtime, move, ['source'], existing)
  const hasTargetEnded = await endServers(runtime, move, ['target'], existing)
  if (!hasSourceEnded || (!hasTargetEnded && !(await isNodeUnavailable(runtime, move)))) return
  await ifCurrent(runtime, job, async (tx) => {
    const now = runtime.now()
    if (to !== null) {
      await volumes.keep(tx, to.id, now)
      await volumes.beginRemoval(tx, to, runtime.newId(), now)
    }
    await deployments.enterPhase(tx, job.deployment.id, 'rollback', undefined, now)
    await deleteMove(tx, job.row.id)
  })
  runtime.wake('volumes')
}

async function isNodeUnavailable({ engine }: Runtime, node: VolumeNode): Promise<boolean> {
  return nodeUnavailableReason(await engine.nodes(), node) !== null
}
