/** The loop over volumes that are being removed. A volume that cannot go is kept, and the work says why. */
import { engineReason } from '../deployments/engine-reason.ts'
import * as deployments from '../deployments/queries.ts'
import type { VolumeRemovalReason } from '../deployments/reason.ts'
import { EngineFailure } from '../engine/engine.ts'
import { fromJson } from '../lib/json.ts'
import type { Loop, Turn } from '../lib/async/loop.ts'
import type { VolumeTable } from '../store/schema.ts'
import * as volumes from './queries.ts'
import type { Runtime } from '../runtime.ts'

/** The engine holds a volume for some seconds after its last container has ended. */
const inUseMs = 30_000

export function volumesLoop(runtime: Runtime): Loop<'volumes'> {
  return { name: 'volumes', periodMs: 60_000, againMs: 500, turn: () => removeVolumes(runtime) }
}

async function removeVolumes(runtime: Runtime): Promise<Turn> {
  const removing = await runtime.db.selectFrom('volume').selectAll().where('state', '=', 'removing').execute()
  const ended = await Promise.all(removing.map((volume) => removeOne(runtime, volume)))
  return ended.includes(false) ? 'again' : 'idle'
}

/** Gives whether nothing is to be tried soon. */
async function removeOne(runtime: Runtime, volume: VolumeTable): Promise<boolean> {
  let left: VolumeRemovalReason | null
  try {
    left = await dropVolume(runtime, volume)
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error
    if (error.reason === 'nodeUnreachable') return waits(runtime, volume, error)
    if (error.reason === 'conflict' && (await isEarly(runtime, volume))) return false
    await end(runtime, volume, 'error', { reason: 'VolumeNotRemoved', detail: error.message })
    return true
  }
  await end(runtime, volume, 'done', left)
  return true
}

/** Of a node that has left the swarm nothing can be asked: gives that reason then, and null where it is gone. */
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

/** From the first time on that the engine said so: before, its node may have been away for long. */
async function isEarly({ db, now, transact }: Runtime, { deploymentId }: VolumeTable): Promise<boolean> {
  const work = await deployments.find(db, deploymentId)
  if (work === null) return false
  if (fromJson(work.reason)?.reason === 'VolumeInUse') return now().getTime() - Date.parse(work.phaseAt) < inUseMs
  await transact((tx) => deployments.restartPhase(tx, work.id, { reason: 'VolumeInUse' }, now()))
  return true
}

/** Whether it is gone is not known: it is asked again, in the loop's own time or when a node comes back. */
async function waits({ transact }: Runtime, { deploymentId }: VolumeTable, error: EngineFailure): Promise<true> {
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
