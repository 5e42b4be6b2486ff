/** Decides whether Berth works, for the heartbeat. Pure. */
import type { LoopFigures } from '../lib/async/loop.ts'

/** A turn can last this long without a fault, because it calls engines and storages. */
const patienceMs = 60_000

/**
 * Returns the names of the loops that have not turned within twice their period, or within a minute if this is longer.
 * A loop whose turn lasts as long as a stream counts if its last turns failed.
 */
export function lateLoops(figures: readonly LoopFigures[]): string[] {
  return figures.filter(isLate).map(({ name }) => name)
}

function isLate({ periodMs, failures, lastTurn }: LoopFigures): boolean {
  if (periodMs === null) return failures > 1
  return failures > 1 || lastTurn === null || lastTurn.agoMs > Math.max(2 * periodMs, patienceMs)
}
