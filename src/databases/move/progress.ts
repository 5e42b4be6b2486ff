/** Records the progress of a move in the store: its new volume, its next step, its end and its failure. */
import { leavingNodes } from '../../cluster/queries.ts'
import * as deployments from '../../deployments/queries.ts'
import type { DatabaseFailure } from '../../deployments/reason.ts'
import { kindNamed } from '../../kinds/index.ts'
import { toJson } from '../../lib/json.ts'
import { recordedOwnAccount, sealOwnAccount } from '../login/own-account.ts'
import type { Runtime } from '../../runtime.ts'
import type { VolumeTable } from '../../store/schema.ts'
import * as volumes from '../../volumes/queries.ts'
import { withoutSecrets } from '../reconcile/failure-text.ts'
import { ifCurrent, type Job } from '../reconcile/outcome.ts'
import { mountPath } from '../reconcile/volume-placement.ts'
import { pick } from '../columns.ts'
import { sealStartSecrets } from '../login/start-secrets.ts'
import type { StatusReason } from '../status.ts'
import {
  attemptedCredentials,
  sealAttemptedCredentials,
  sealSettings,
  settingsOfVolume,
  type Target,
} from '../targets.ts'
import { deleteMove, setMoveStep, setMoveVolume } from './queries.ts'
import type { MoveStep, MoveTable } from './table.ts'

/** The data that a step of a move needs. `from` is the old volume, `to` the new one. */
export interface MoveContext {
  job: Job
  move: MoveTable
  target: Target
  from: VolumeTable
  to: VolumeTable
}

/**
 * Records the new volume before Docker creates it. If the new node is being removed from the swarm, undoes the move and
 * returns null.
 */
export async function recordVolume(
  runtime: Runtime,
  job: Job,
  move: MoveTable,
  from: VolumeTable,
  target: Target,
): Promise<VolumeTable | null> {
  const kind = kindNamed(job.row.kind)
  const id = runtime.newId()
  const own = recordedOwnAccount(runtime.vault, from)
  const { kind: kindName, ownerKind, ownerId, appName, dockerImage, serverVersion } = from
  const columns = {
    kind: kindName,
    ownerKind,
    ownerId,
    appName,
    dockerImage,
    serverVersion,
    generation: from.generation + 1,
    dataPath: mountPath(runtime, target, kind),
    nodeId: move.nodeId,
    nodeName: move.nodeName,
    nodeAddress: move.nodeAddress,
    ...sealSettings(runtime.vault, 'volume', id, settingsOfVolume(runtime.vault, from), kind.secrets),
    // The copy logs in to the new server with the credentials of the old one.
    startSecrets: sealStartSecrets(runtime.vault, id, pick(settingsOfVolume(runtime.vault, from), kind.secrets)),
    ownAccount: own === null ? null : sealOwnAccount(runtime.vault, id, own),
    access: from.access,
    tried:
      from.tried === null
        ? null
        : sealAttemptedCredentials(runtime.vault, id, attemptedCredentials(runtime.vault, from)),
  }
  const volume = volumes.newVolume(id, columns, runtime.now())
  const isRecorded = await runtime.transact(async (tx) => {
    if ((await leavingNodes(tx)).has(move.nodeId)) return false
    await volumes.insert(tx, volume)
    await setMoveVolume(tx, job.row.id, id)
    return true
  })
  if (isRecorded) return volume
  await undoMove(runtime, { job, move, from }, { reason: 'NodeLeaving', node: move.nodeName })
  return null
}

/** Records the next step of the move. From the step `stop` on, the database's status is `Moving` or
 * `Restoring`. */
export async function continueMove(
  runtime: Runtime,
  { job, move }: Pick<MoveContext, 'job' | 'move'>,
  step: MoveStep,
): Promise<void> {
  await ifCurrent(runtime, job, async (tx) => {
    await setMoveStep(tx, move, step)
    if (step !== 'stop') return
    const { restoreRunId: runId, nodeName: node } = move
    const statusReason = toJson<StatusReason>(
      runId === null ? { reason: 'Moving', node } : { reason: 'Restoring', runId },
    )
    await tx
      .updateTable('database')
      .set({ observed: 'unknown', containerState: null, statusReason })
      .where('id', '=', job.row.id)
      .execute()
  })
}

/** Records that the move has failed, and why. The following steps return the database to its old volume. */
export async function undoMove(
  runtime: Runtime,
  { job, move, from }: Pick<MoveContext, 'job' | 'move' | 'from'>,
  cause: DatabaseFailure,
): Promise<void> {
  const reason: DatabaseFailure =
    move.restoreRunId === null
      ? { reason: 'MoveFailed', node: move.nodeName, cause }
      : { reason: 'RestoreFailed', runId: move.restoreRunId, cause }
  const masked = withoutSecrets(runtime.vault, reason, job.row, from)
  await ifCurrent(runtime, job, async (tx) => {
    if (!(await setMoveStep(tx, move, 'back'))) return
    await deployments.recordReason(tx, job.deployment.id, masked)
  })
}

/** Makes the move of a restore return to the old volume, because the run of the restore ended. */
export async function stopMove(runtime: Runtime, deploymentId: string): Promise<void> {
  await runtime.transact(async (tx) => {
    const move = await tx.selectFrom('move').selectAll().where('deploymentId', '=', deploymentId).executeTakeFirst()
    if (move === undefined || move.step === 'back' || move.restoreRunId === null) return
    await setMoveStep(tx, move, 'back')
    const reason: DatabaseFailure = {
      reason: 'RestoreFailed',
      runId: move.restoreRunId,
      cause: { reason: 'RestoreStopped' },
    }
    await deployments.recordReason(tx, deploymentId, reason)
  })
  runtime.wake('services')
}

/**
 * Ends the move: switches the database to the new volume, keeps the old volume, and clears the requested placement,
 * which applied to the old volume, unless the node is the same. The deployment continues: its next steps start the database.
 */
export async function switchVolume(runtime: Runtime, { job, move, from, to }: MoveContext): Promise<void> {
  const { row, deployment } = job
  await ifCurrent(runtime, job, async (tx) => {
    await tx
      .updateTable('database')
      .set({ volumeId: to.id, ...(to.nodeId === from.nodeId ? {} : { node: null, nodeLabel: null }) })
      .where('id', '=', row.id)
      .execute()
    await volumes.keep(tx, from.id, runtime.now())
    await deployments.restartPhase(tx, deployment.id, null, runtime.now())
    await deleteMove(tx, row.id)
  })
  runtime.log.info('a database was switched to a new volume', {
    databaseId: row.id,
    from: from.nodeName,
    to: move.nodeName,
  })
}
