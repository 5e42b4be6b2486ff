/** The loop's turn over volumes that are being removed. A volume that cannot go is kept, and the work says why. */
import { EngineRefused } from '../engine/engine.ts'
import type { VolumeTable } from '../store/schema.ts'
import type { World } from './world.ts'

export async function removeVolumes(world: World): Promise<void> {
  const volumes = await world.db.selectFrom('volume').selectAll().where('state', '=', 'removing').execute()
  for (const volume of volumes) await removeOne(world, volume)
}

async function removeOne(world: World, volume: VolumeTable) {
  try {
    await world.engine.removeVolume(volume.name, volume.nodeId)
  } catch (error) {
    if (!(error instanceof EngineRefused)) throw error
    return end(world, volume, `The engine would not remove it: ${error.message}`)
  }
  return end(world, volume, null)
}

async function end({ transact, now, log }: World, { id, deploymentId }: VolumeTable, reason: string | null) {
  const state = reason === null ? 'done' : 'error'
  await transact(async (tx) => {
    const finishedAt = now().toISOString()
    await tx.updateTable('deployment').set({ state, reason, finishedAt }).where('id', '=', deploymentId ?? '').execute()
    if (reason === null) await tx.deleteFrom('volume').where('id', '=', id).execute()
    else await tx.updateTable('volume').set({ state: 'kept', deploymentId: null }).where('id', '=', id).execute()
  })
  log.info('volume removal ended', { volumeId: id, state })
}
