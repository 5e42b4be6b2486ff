/** Waits on a condition, never on a time: asks again until there is an answer, and fails when the bound is over. */
import { setTimeout as pause } from 'node:timers/promises'

/** A probe may be a process of its own: the first ones come quickly, and after two seconds there are three a second. */
const firstPauseMs = 40
const maxPauseMs = 300

/** The first answer that is neither undefined, null, false nor empty. `what` completes "waited in vain for". */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined | null | false>,
  boundMs = 30_000,
): Promise<T> {
  const end = Date.now() + boundMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(maxPauseMs, pauseMs * 1.2)) {
    const answer = await probe()
    if (answer !== undefined && answer !== null && answer !== false && answer !== '') return answer
    if (Date.now() > end) throw new Error(`Waited ${boundMs} ms in vain for ${what}`)
    await pause(pauseMs)
  }
}
