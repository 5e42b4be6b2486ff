/**
 * Work under way has its times: for the image to arrive, for a server to answer. Where the clock of the machine is set,
 * they are not over at once, nor go on for days.
 */
import { movePhases } from './queries.ts'
import type { Runtime } from '../runtime.ts'

/** Moves the beginnings of work under way as the clock was; gives whether it was. */
export async function keepStep(runtime: Runtime): Promise<boolean> {
  const byMs = runtime.clockSet.byMs()
  if (byMs === 0) return false
  runtime.log.warn('the clock of this machine was set', { byMs })
  await runtime.transact((tx) => movePhases(tx, runtime.now().getTime(), byMs))
  runtime.clockSet.accept(byMs)
  return true
}
