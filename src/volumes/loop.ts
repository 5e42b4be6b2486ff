/**
 * The loop that removes volumes. If the engine refuses to remove a volume, the volume is kept, and the deployment ends
 * in error with the reason. While the node of a volume is unreachable, its removal waits.
 */
import { engineReason } from '../deployments/engine-reason.ts'
import * as deployments from '../deployments/queries.ts'
import type { VolumeRemovalReason } from '../deployments/reason.ts'
import { EngineFailure } from '../engine/engine.ts'
import { fromJson } from '../lib/json.ts'
import type { Loop, Turn } from '../lib/async/loop.ts'
import type { VolumeTable } from '../store/schema.ts'
import * as volumes from './queries.ts'
import type { Runtime } from '../runtime.ts'

/**
 * How long to retry while the volume is in use. The engine reports a volume as in use for some seconds after its last
 * container has ended.
 */
const inUseTimeoutMs = 30_000

export function volumesLoop(runtime: Runtime): Loop<'volumes'> {
  return { name: 'volumes', periodMs: 60_000, againMs: 500, turn: () => removeVolumes(runtime) }
}

async function removeVolumes(runtime: Runtime): Promise<Turn> {
  if (runtime.gate.reason() !== null) return 'again'
  const removing = await runtime.db.selectFrom('volume').selectAll().where('state', '=', 'removing').execute()
  const ended = await Promise.all(removing.map((volume) => removeOne(runtime, volume)))
  return ended.includes(false) ? 'again' : 'idle'
}

/**
 * Removes a volume and records the outcome. Returns false if the removal must be tried again soon, and true if it has
 * ended or waits for the volume's node.
 */
async function removeOne(runtime: Runtime, volume: VolumeTable): Promise<boolean> {
  let reason: VolumeRemovalReason | null
  try {
    reason = await dropVolume(runtime, volume)
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    if (error.reason === 'nodeUnreachable') return recordUnreachable(runtime, volume, error)
    if (error.reason === 'conflict' && (await recordInUse(runtime, volume))) return false
    await end(runtime, volume, 'error', { reason: 'VolumeNotRemoved', detail: error.message })
    return true
  }
  await end(runtime, volume, 'done', reason)
  return true
}

/**
 * Removes a volume from its node.
 * @returns null if the volume was removed; a reason if its node has left the swarm, so that Berth cannot remove it
 * @throws EngineFailure
 */
export async function dropVolume(
  { engine }: Runtime,
  { name, nodeId, nodeName }: VolumeTable,
): Promise<VolumeRemovalReason | null> {
  const nodes = await engine.nodes()
  if (!nodes.some(({ id }) => id === nodeId)) {
    return { reason: 'VolumeNodeMissing', node: nodeName }
  }
  await engine.removeVolume(name, nodeId)
  return null
}

/**
 * Records that the volume is in use. The timeout begins when the engine first reports this, and not with the removal,
 * because the node may have been unreachable before.
 * @returns whether to try the removal again; false after the timeout
 */
async function recordInUse({ db, now, transact }: Runtime, { deploymentId }: VolumeTable): Promise<boolean> {
  const deployment = await deployments.find(db, deploymentId)
  if (deployment === null) return false
  if (fromJson(deployment.reason)?.reason === 'VolumeInUse')
    return now().getTime() - Date.parse(deployment.phaseAt) < inUseTimeoutMs
  await transact((tx) => deployments.restartPhase(tx, deployment.id, { reason: 'VolumeInUse' }, now()))
  return true
}

/**
 * Records that the node is unreachable, so it is unknown whether the volume was removed. The loop tries again in its
 * next period or when a node returns.
 */
async function recordUnreachable(
  { transact }: Runtime,
  { deploymentId }: VolumeTable,
  error: EngineFailure,
): Promise<true> {
  if (deploymentId !== null) await transact((tx) => deployments.recordReason(tx, deploymentId, engineReason(error)))
  return true
}

async function end(
  { transact, now, log }: Runtime,
  { id, deploymentId }: VolumeTable,
  state: 'done' | 'error',
  reason: VolumeRemovalReason | null,
) {
  await transact(async (tx) => {
    if (deploymentId !== null) await deployments.finish(tx, deploymentId, state, reason, now())
    if (state === 'done') await volumes.drop(tx, id)
    else await volumes.keepAfterFailedRemoval(tx, id)
  })
  log.info('volume removal ended', { volumeId: id, state })
}
