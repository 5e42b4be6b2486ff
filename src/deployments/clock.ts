/**
 * Work under way has its times: for the image to arrive, for a server to answer. Where the clock of the machine is set,
 * they are not over at once, nor go on for days.
 */
import { movePhases } from './queries.ts'
import type { World } from '../runtime.ts'

/** Moves the beginnings of work under way as the clock was; gives whether it was. */
export async function keepStep(world: World): Promise<boolean> {
  const byMs = world.clockSet.byMs()
  if (byMs === 0) return false
  world.log.warn('the clock of this machine was set', { byMs })
  await world.transact((tx) => movePhases(tx, world.now().getTime(), byMs))
  world.clockSet.accept(byMs)
  return true
}
