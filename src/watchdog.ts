/**
 * A watchdog of the event loop: a thread that ends the process when the event loop has taken no turn for a minute.
 * systemd, or whatever started Berth, then starts it again (decision 0063).
 */
import { Worker, workerData } from 'node:worker_threads'
import { openLog } from './lib/log.ts'

export interface WatchdogLimits {
  /** How often the event loop counts a turn, and how often the thread checks the count, in milliseconds. */
  periodMs: number
  /**
   * The process ends after this many checks in a row without a turn. The thread itself needs processor time for a check,
   * so a process that was suspended, or that gets no processor time, is not ended.
   */
  maxChecks: number
}

const defaults: WatchdogLimits = { periodMs: 5000, maxChecks: 12 }

interface Watched extends WatchdogLimits {
  /** One counter of turns, which both threads use. */
  turns: Int32Array
}

/** @param script the script of the thread, which has to call `watch` */
export function startWatchdog(script: string, limits: WatchdogLimits = defaults): void {
  const turns = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  setInterval(() => Atomics.add(turns, 0, 1), limits.periodMs).unref()
  const data: Watched = { ...limits, turns }
  new Worker(script, { workerData: data, resourceLimits: { maxOldGenerationSizeMb: 16 } }).unref()
}

/** The thread of the watchdog. */
export function watch(): void {
  const { turns, periodMs, maxChecks } = workerData as Watched
  let last = -1
  let quietChecks = 0
  const timer = setInterval(() => {
    const turn = Atomics.load(turns, 0)
    quietChecks = turn === last ? quietChecks + 1 : 0
    last = turn
    if (quietChecks < maxChecks) return
    clearInterval(timer)
    end((quietChecks * periodMs) / 1000)
  }, periodMs)
}

/** The line of the log gets a moment to be written. If its reader does not take it, the process ends all the same. */
const writeMs = 1000

function end(seconds: number) {
  openLog().warn('ended by the watchdog: the event loop has stopped', { seconds })
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), writeMs)
}
