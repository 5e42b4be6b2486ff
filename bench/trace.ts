/** What Chromium's trace says about scripts. Pure. */

/** An event of a trace. Times are in microseconds. */
export interface TraceEvent {
  name: string
  ph: string
  pid: number
  tid: number
  ts: number
  dur?: number
}

/** Scripts, and what is done for them: compilation, callbacks, garbage collection. */
const scriptEvents = new Set([
  ...['EvaluateScript', 'FunctionCall', 'v8.evaluateModule', 'v8.callFunction', 'v8.compile', 'v8.compileModule'],
  ...['EventDispatch', 'TimerFire', 'FireAnimationFrame', 'FireIdleCallback', 'RunMicrotasks', 'MinorGC', 'MajorGC'],
])

/** Milliseconds of scripts on all threads. An event inside another one counts once. */
export function scriptMs(events: readonly TraceEvent[]): number {
  const scripts = events.filter(({ name, ph }) => ph === 'X' && scriptEvents.has(name))
  const byThread = Map.groupBy(scripts, ({ pid, tid }) => `${pid} ${tid}`)
  return [...byThread.values()].reduce((sum, own) => sum + coveredUs(own), 0) / 1000
}

function coveredUs(events: readonly TraceEvent[]): number {
  let [covered, until] = [0, 0]
  for (const { ts, dur = 0 } of events.toSorted((a, b) => a.ts - b.ts)) {
    covered += Math.max(0, ts + dur - Math.max(ts, until))
    until = Math.max(until, ts + dur)
  }
  return covered
}

/** The longest task of a page's main thread in milliseconds. A person notices more than 50 ms. */
export function longestTaskMs(events: readonly TraceEvent[]): number {
  const threads = new Set(scriptThreads(events))
  const tasks = events.filter(({ name, pid, tid }) => name === 'RunTask' && threads.has(`${pid} ${tid}`))
  return Math.max(0, ...tasks.map(({ dur = 0 }) => dur / 1000))
}

const scriptThreads = (events: readonly TraceEvent[]) =>
  events.filter(({ name }) => name === 'FunctionCall').map(({ pid, tid }) => `${pid} ${tid}`)
