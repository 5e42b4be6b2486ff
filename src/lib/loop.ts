/**
 * Runs one idempotent piece of work periodically and whenever woken, never twice at once.
 * A wake carries no data, by design: work derives everything from the store, so a lost wake, a crash and a restart
 * all heal the same way, at the next turn. A failed turn is tried again after growing waits.
 */

export interface Loop {
  wake(): void
  /** How often in a row it failed: 0 is healthy. */
  failures(): number
  /** Ends after the turn under way. */
  stop(): Promise<void>
}

export interface LoopOptions {
  periodMs: number
  /** At least so long from the end of one turn to the next, however often it is woken. */
  gapMs?: () => number
  work(): Promise<void>
  onError(error: unknown, failures: number): void
}

const longestWaitMs = 5000

export function startLoop({ periodMs, gapMs = () => 0, work, onError }: LoopOptions): Loop {
  let pending = false
  let stopped = false
  let failures = 0
  let wakeable = false
  let interrupt: () => void = () => undefined
  const ended = run()
  return { wake, failures: () => failures, stop }

  function wake() {
    pending = true
    if (wakeable) interrupt()
  }

  async function run() {
    while (!stopped) {
      pending = false
      await work().then(
        () => {
          failures = 0
        },
        (error: unknown) => onError(error, ++failures),
      )
      const gap = gapMs()
      await rest(failures === 0 ? gap : Math.min(100 * 2 ** failures, longestWaitMs))
      wakeable = true
      if (!pending && failures === 0) await rest(periodMs - gap)
      wakeable = false
    }
  }

  async function rest(ms: number) {
    if (stopped || ms <= 0) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      interrupt = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  function stop() {
    stopped = true
    interrupt()
    return ended
  }
}
