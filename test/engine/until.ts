/** Waits for a condition by polling, and fails after a time limit. */
import { setTimeout as pause } from 'node:timers/promises'

/** The pause between probes grows to `maxPauseMs` within two seconds, because a probe may start a process. */
const firstPauseMs = 40
const maxPauseMs = 300

/**
 * Returns the first result that is not undefined, null, false or ''. Throws after the timeout.
 * @param what completes the error message "Timed out while waiting for"
 */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined | null | false>,
  timeoutMs = 30_000,
): Promise<T> {
  const end = Date.now() + timeoutMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(maxPauseMs, pauseMs * 1.2)) {
    const result = await probe()
    if (result !== undefined && result !== null && result !== false && result !== '') return result
    if (Date.now() > end) throw new Error(`Timed out after ${timeoutMs} ms while waiting for ${what}`)
    await pause(pauseMs)
  }
}
