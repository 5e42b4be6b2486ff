/**
 * Runs loops: idempotent work that takes its turn periodically and whenever woken, never twice at once.
 * A wake carries no data, by design: a turn derives everything from the store, so a lost wake, a crash and a restart
 * all heal the same way, at the next turn. A failed turn is tried again after growing waits.
 */
import type { Log } from '../log.ts'

/** `again`: more is to be done soon, and nobody else will wake the loop for it. */
export type Turn = 'again' | 'idle'

export interface Loop<Name extends string> {
  name: Name
  /** From the end of a turn to the next one, unless the loop is woken before. */
  periodMs: number
  /** From the end of a turn to the next one at least, however often the loop is woken. 0 if left out. Read after each turn. */
  minGapMs?: number
  /** From the end of a turn that returned `again` to the next one, even if `minGapMs` is longer. `minGapMs` if left out. */
  againMs?: number
  /** Throws where the work failed: it is tried again. `stopping` is aborted when the turn has to end early. */
  turn(stopping: AbortSignal): Promise<Turn>
  /** Ends the work that turns have left under way. Called once, when no loop takes a turn any more. */
  stop?(): Promise<void>
}

/** How a loop fares, for a monitor. */
export interface LoopFigures {
  name: string
  /** Turns that failed since the last one that succeeded: 0 is healthy. */
  failures: number
  /** How long the last turn took, and how long ago it ended. Null until the first one has ended. */
  lastTurn: { tookMs: number; agoMs: number } | null
}

export interface LoopRunner<Name extends string> {
  /** Each loop takes its first turn, all of them known by then. Called once. */
  start(loops: readonly Loop<Name>[]): void
  /**
   * Asks for a turn, at once or `inMs` from now, as soon as the gap allows. A loop that is taking its turn takes another
   * one after it. A turn that begins before the time has come does not count. Before `start` it does nothing.
   */
  wake(name: Name, inMs?: number): void
  figures(): LoopFigures[]
  /** Waits for the turns under way, then for what they have left. */
  stop(): Promise<void>
}

interface RunningLoop {
  wake(inMs: number): void
  figures(): LoopFigures
  /** Resolves after the turn under way. */
  stop(): Promise<void>
}

type OnFailure = (error: unknown, failures: number) => void

const maxBackoffMs = 5000
/** By so much a timer may be early. */
const timerErrorMs = 1

/** `onFailure` is called after each failed turn. */
export function loopRunner<Name extends string>(log: Log, onFailure: () => void = () => undefined): LoopRunner<Name> {
  const stopping = new AbortController()
  const running = new Map<Name, RunningLoop>()
  let loops: readonly Loop<Name>[] = []
  return {
    start(given) {
      loops = given
      for (const loop of loops) {
        running.set(
          loop.name,
          runLoop(loop, stopping.signal, (error, failures) => {
            onFailure()
            // The same fault again and again is logged ever more rarely.
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

function runLoop(loop: Loop<string>, stopping: AbortSignal, onFailure: OnFailure): RunningLoop {
  const pause = interruptiblePause()
  const turns = turnsOf(loop, stopping, onFailure)
  let isWoken = false
  /** The times to come for which a turn was asked. */
  let later: number[] = []
  let isWakeable = false
  const ended = Promise.resolve().then(run)
  return { wake, figures: turns.figures, stop }

  function wake(inMs: number) {
    if (inMs > 0) later.push(performance.now() + inMs)
    else isWoken = true
    if (isWakeable) pause.interrupt()
  }

  async function run() {
    while (!stopping.aborted) {
      isWoken = false
      const now = performance.now()
      later = later.filter((at) => at > now + timerErrorMs)
      const turn = await turns.take()
      const endedAt = performance.now()
      if (stopping.aborted) return
      if (turn === 'failed') await pause.until(endedAt + turns.backoffMs())
      else await rest(endedAt, turn)
    }
  }

  async function rest(endedAt: number, turn: Turn) {
    const { periodMs, minGapMs = 0, againMs = minGapMs } = loop
    if (turn === 'again') later.push(endedAt + againMs)
    await pause.until(endedAt + (turn === 'again' ? Math.min(againMs, minGapMs) : minGapMs))
    isWakeable = true
    let isDue = isWoken
    while (!isDue && !stopping.aborted) isDue = (await pause.until(Math.min(...later, endedAt + periodMs))) || isWoken
    isWakeable = false
  }

  function stop() {
    pause.interrupt()
    return ended
  }
}

/** Takes the turns of a loop, and counts them. */
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
    /** Returns whether that time has come: false after an interruption. */
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
