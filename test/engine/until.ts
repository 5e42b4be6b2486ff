/** Waits for a condition by polling, and fails after a time limit. */
import { setTimeout as pause } from 'node:timers/promises'

/** Polling slows down to three probes a second after two seconds, because a probe may start a process. */
const firstPauseMs = 40
const maxPauseMs = 300

/** Returns the first answer that is not undefined, null, false or empty. `what` completes "waited in vain for". */
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
