/**
 * Runs loops. A loop does idempotent work in turns: periodically and when it is woken, one turn at a time. A wake
 * carries no data, because a turn reads everything from the store. So the next turn does the work also after a lost
 * wake, a crash or a restart. A failed turn is repeated after waits that grow.
 */
import type { Log } from '../log.ts'

/** `again`: more work is due soon, and nothing else will wake the loop for it. */
export type Turn = 'again' | 'idle'

export interface Loop<Name extends string> {
  name: Name
  /** The time from the end of a turn to the next turn, unless the loop is woken before. */
  periodMs: number
  /** The shortest time from the end of a turn to the next one, even if woken. Read after each turn. Default: 0. */
  minGapMs?: number
  /** The time from a turn that returned `again` to the next one. Overrides `minGapMs`, which is the default. */
  againMs?: number
  /**
   * Does the work that is due. `stopping` is aborted when the turn has to end early.
   * @throws if the work failed: the turn is repeated
   */
  turn(stopping: AbortSignal): Promise<Turn>
  /** Ends work that a turn started and that still runs. Called once, after the last turn of all loops. */
  stop?(): Promise<void>
}

/** The state of a loop, for monitoring. */
export interface LoopFigures {
  name: string
  /** The number of failed turns since the last successful turn: 0 is healthy. */
  failures: number
  /** The duration of the last turn, and the time since its end. Null until the first turn has ended. */
  lastTurn: { tookMs: number; agoMs: number } | null
}

export interface LoopRunner<Name extends string> {
  /**
   * Starts the first turn of each loop, after all loops are registered: a first turn can wake every loop. Called once.
   */
  start(loops: readonly Loop<Name>[]): void
  /**
   * Requests a turn, at once or `inMs` from now. The turn begins as soon as `minGapMs` allows. A loop that is taking a
   * turn takes another one after it. A turn that begins before `inMs` has passed does not satisfy the request. Before
   * `start` this does nothing.
   */
  wake(name: Name, inMs?: number): void
  figures(): LoopFigures[]
  /** Aborts `stopping`, waits for the turns under way, then calls `stop` of each loop. */
  stop(): Promise<void>
}

interface RunningLoop {
  wake(inMs: number): void
  figures(): LoopFigures
  /** Resolves after the current turn. */
  stop(): Promise<void>
}

type OnFailure = (error: unknown, failures: number) => void

const maxBackoffMs = 5000
/** A timer can fire this much too early. */
const timerErrorMs = 1

/**
 * @param onFailure called after each failed turn with its error
 * @param maxGapMs limits `minGapMs` and `againMs` of all loops, for tests that wait for many turns
 */
export function loopRunner<Name extends string>(
  log: Log,
  onFailure: (error: unknown) => void = () => undefined,
  maxGapMs = Number.POSITIVE_INFINITY,
): LoopRunner<Name> {
  const stopping = new AbortController()
  const running = new Map<Name, RunningLoop>()
  let loops: readonly Loop<Name>[] = []
  return {
    start(startedLoops) {
      loops = startedLoops
      for (const loop of loops) {
        running.set(
          loop.name,
          runLoop(loop, maxGapMs, stopping.signal, (error, failures) => {
            onFailure(error)
            // A fault that repeats is logged less and less often: after 1, 2, 4, 8, ... failures.
            if (Number.isInteger(Math.log2(failures))) log.error('a loop failed', error, { loop: loop.name, failures })
          }),
        )
      }
    },
    wake: (name, inMs = 0) => running.get(name)?.wake(inMs),
    figures: () => [...running.values()].map((loop) => loop.figures()),
    async stop() {
      stopping.abort()
      await Promise.all([...running.values()].map((loop) => loop.stop()))
      await Promise.all(loops.map((loop) => loop.stop?.()))
    },
  }
}

function runLoop(loop: Loop<string>, maxGapMs: number, stopping: AbortSignal, onFailure: OnFailure): RunningLoop {
  const pause = interruptiblePause()
  const turns = turnsOf(loop, stopping, onFailure)
  let isWoken = false
  /** Future times for which a turn was requested. */
  let requestedTimes: number[] = []
  let canInterruptPause = false
  const ended = Promise.resolve().then(run)
  return { wake, figures: turns.figures, stop }

  function wake(inMs: number) {
    if (inMs > 0) requestedTimes.push(performance.now() + inMs)
    else isWoken = true
    if (canInterruptPause) pause.interrupt()
  }

  async function run() {
    while (!stopping.aborted) {
      isWoken = false
      const now = performance.now()
      requestedTimes = requestedTimes.filter((at) => at > now + timerErrorMs)
      const turn = await turns.take()
      const endedAt = performance.now()
      if (stopping.aborted) return
      if (turn === 'failed') await pause.until(endedAt + turns.backoffMs())
      else await rest(endedAt, turn)
    }
  }

  async function rest(endedAt: number, turn: Turn) {
    const { periodMs } = loop
    const minGapMs = Math.min(loop.minGapMs ?? 0, maxGapMs)
    const againMs = Math.min(loop.againMs ?? minGapMs, maxGapMs)
    if (turn === 'again') requestedTimes.push(endedAt + againMs)
    await pause.until(endedAt + (turn === 'again' ? Math.min(againMs, minGapMs) : minGapMs))
    canInterruptPause = true
    let isDue = isWoken
    while (!isDue && !stopping.aborted)
      isDue = (await pause.until(Math.min(...requestedTimes, endedAt + periodMs))) || isWoken
    canInterruptPause = false
  }

  function stop() {
    pause.interrupt()
    return ended
  }
}

/** Runs the turns of a loop, measures them and counts their failures. */
function turnsOf(loop: Loop<string>, stopping: AbortSignal, onFailure: OnFailure) {
  let failures = 0
  let last: { tookMs: number; endedAt: number } | null = null
  return {
    backoffMs: () => Math.min(100 * 2 ** failures, maxBackoffMs),
    figures(): LoopFigures {
      const lastTurn = last === null ? null : { tookMs: last.tookMs, agoMs: performance.now() - last.endedAt }
      return { name: loop.name, failures, lastTurn }
    },
    async take(): Promise<Turn | 'failed'> {
      const startedAt = performance.now()
      try {
        const turn = await loop.turn(stopping)
        failures = 0
        return turn
      } catch (error) {
        onFailure(error, ++failures)
        return 'failed'
      } finally {
        const endedAt = performance.now()
        last = { tookMs: endedAt - startedAt, endedAt }
      }
    },
  }
}

function interruptiblePause() {
  let interrupt: () => void = () => undefined
  return {
    interrupt: () => interrupt(),
    /** Waits until `at`. Returns false if the wait was interrupted. */
    async until(at: number): Promise<boolean> {
      const ms = at - performance.now()
      if (ms <= 0) return true
      return new Promise((resolve) => {
        const timer = setTimeout(() => resolve(true), ms)
        interrupt = () => {
          clearTimeout(timer)
          resolve(false)
        }
      })
    },
  }
}
