/**
 * Adjusts the timeouts of running deployments when the machine's clock is set. Otherwise a wait for an image or for a
 * server could time out at once or last for days.
 */
import { movePhases } from './queries.ts'
import type { Runtime } from '../runtime.ts'

/** Moves the phase starts of running deployments by the change of the clock. Returns whether the clock was set. */
export async function adjustToClockChange(runtime: Runtime): Promise<boolean> {
  const byMs = runtime.clockSet.byMs()
  if (byMs === 0) return false
  runtime.log.warn('the clock of this machine was set', { byMs })
  await runtime.transact((tx) => movePhases(tx, runtime.now().getTime(), byMs))
  runtime.clockSet.accept(byMs)
  return true
}
