/** What Chromium's trace says about scripts. Pure. */

/** An event of a trace. Times are in microseconds. */
export interface TraceEvent {
  name: string
  ph: string
  pid: number
  tid: number
  ts: number
  dur?: number
  /** The processor time, which other processes of the machine do not lengthen. */
  tdur?: number
}

/** Scripts, and what is done for them: compilation, callbacks, garbage collection. */
const scriptEvents = new Set([
  ...['EvaluateScript', 'FunctionCall', 'v8.evaluateModule', 'v8.callFunction', 'v8.compile', 'v8.compileModule'],
  ...['EventDispatch', 'TimerFire', 'FireAnimationFrame', 'FireIdleCallback', 'RunMicrotasks', 'MinorGC', 'MajorGC'],
])

/** Milliseconds of processor time of scripts on all threads. An event inside another one counts once. */
export function scriptMs(events: readonly TraceEvent[]): number {
  const scripts = events.filter(({ name, ph }) => ph === 'X' && scriptEvents.has(name))
  const byThread = Map.groupBy(scripts, ({ pid, tid }) => `${pid} ${tid}`)
  return [...byThread.values()].flatMap(outermost).reduce((sum, event) => sum + timeOf(event), 0) / 1000
}

const timeOf = ({ dur = 0, tdur = dur }: TraceEvent) => tdur

function outermost(events: readonly TraceEvent[]): TraceEvent[] {
  let until = 0
  return events
    .toSorted((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0))
    .filter(({ ts, dur = 0 }) => {
      if (ts + dur <= until) return false
      until = ts + dur
      return true
    })
}

/** The longest task of a thread with scripts, in milliseconds of processor time. A person notices more than 50 ms. */
export function maxTaskMs(events: readonly TraceEvent[]): number {
  const threads = new Set(scriptThreads(events))
  const tasks = events.filter(
    ({ name, pid, tid }) => name === 'ThreadControllerImpl::RunTask' && threads.has(`${pid} ${tid}`),
  )
  return Math.max(0, ...tasks.map((task) => timeOf(task) / 1000))
}

const scriptThreads = (events: readonly TraceEvent[]) =>
  events.filter(({ name }) => name === 'FunctionCall').map(({ pid, tid }) => `${pid} ${tid}`)
