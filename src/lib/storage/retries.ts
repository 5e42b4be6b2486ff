/** Waits between the attempts of a request to a storage. */
import { setTimeout as pause } from 'node:timers/promises'
import { isNoConnection, type StorageFault } from './faults.ts'

/** Attempts that failed in a row. `since` is the time of the first failure, by `performance.now()`. */
export interface Failures {
  count: number
  since: number
}

/**
 * Waits before the next attempt. `failures` includes this failure.
 * @throws the fault if a retry cannot succeed or no attempts are left
 */
export type WaitForRetry = (fault: StorageFault, failures: Failures, signal: AbortSignal) => Promise<void>

/** The waits add up to about 45 seconds, enough for a restart of the storage. */
export const usualLimits = { attempts: 8, waitMs: 500, idleMs: 60_000 }

const maxWaitMs = 15_000
/** Retries end after this time if the storage accepts no connection, so that callers get the error soon. */
const noConnectionMs = 15_000

export function retryWaits(attempts: number, waitMs: number): WaitForRetry {
  return async (fault, { count, since }, signal) => {
    const leftMs = isNoConnection(fault) ? since + noConnectionMs - performance.now() : Infinity
    if (!fault.isTransient || count >= attempts || leftMs <= 0) throw fault
    await wait(Math.min(waitMs * 2 ** (count - 1), leftMs), signal)
  }
}

/** Varies the wait by 25 %, so that requests that failed at the same time do not all retry at the same time. */
async function wait(ms: number, signal: AbortSignal): Promise<void> {
  const varied = Math.min(ms, maxWaitMs) * (0.75 + Math.random() / 2)
  await pause(varied, undefined, { signal }).catch(() => signal.throwIfAborted())
}
