/** A run of several files: the quick ones, then the slow ones, each with a second attempt for the files that failed. */
import type { TestEvent } from 'node:test/reporters'
import { type Attempt, attempt, type Result } from './attempt.ts'
import { isSlow } from './files.ts'
import { inOrder, nextFile } from './order.ts'
import { count, report, reportApart, say } from './report.ts'
import { isLost, type Verdict } from './verdict.ts'

export interface RunOptions {
  /** How many files run at the same time. */
  concurrency: number
  /** How long each test may take; undefined: no limit. */
  timeoutMs: number | undefined
  /** The last duration of each file, in seconds. */
  durations: ReadonlyMap<string, number>
}

export interface Run extends Verdict {
  /** Seconds by file, of the last attempt of each. */
  durations: Map<string, number>
}

/** Runs the files and reports them. No slow file starts if the run is lost after the quick ones. */
export async function runFiles(files: string[], options: RunOptions): Promise<Run> {
  const run: Run = { unstable: [], failed: [], durations: new Map() }
  const [only] = files
  if (only !== undefined && files.length === 1) await runOnly(only, run, options)
  else {
    await runPhase(
      files.filter((file) => !isSlow(file)),
      run,
      options,
    )
    if (!isLost(run)) await runPhase(files.filter(isSlow), run, options)
  }
  return run
}

/** A single file is reported while it runs. It already runs alone, so it has one attempt. */
async function runOnly(file: string, run: Run, options: RunOptions): Promise<void> {
  const { events, ended } = attempt(file, options.timeoutMs)
  for await (const event of events) report(event)
  conclude(await ended, run)
}

/** A first attempt that failed, and the events that it reports later. */
interface Failure {
  result: Result
  events: TestEvent[]
}

async function runPhase(files: string[], run: Run, options: RunOptions): Promise<void> {
  const failures = await firstAttempts(files, run, options)
  for (const { result, events } of failures) {
    if (result.hasDataDifference || isLost(run)) {
      events.forEach(report)
      conclude(result, run)
    } else {
      await reportApart(`The first attempt of ${result.file} failed:`, events)
      await secondAttempt(result.file, run, options)
    }
  }
}

/** Files that pass are reported when they end. */
async function firstAttempts(files: string[], run: Run, options: RunOptions): Promise<Failure[]> {
  const waiting = inOrder(files, options.durations)
  const running = new Map<string, Attempt>()
  const failures: Failure[] = []
  for (;;) {
    startFiles(waiting, running, options)
    if (running.size === 0) break
    const result = await Promise.race([...running.values()].map(({ ended }) => ended))
    const events = await Array.fromAsync(running.get(result.file)!.events)
    running.delete(result.file)
    if (result.hasPassed) {
      events.forEach(report)
      conclude(result, run)
    } else {
      say(`${result.file} failed`)
      failures.push({ result, events })
    }
  }
  // A comparison that failed comes first: after it, no other file needs a second attempt.
  return failures.sort((a, b) => Number(b.result.hasDataDifference) - Number(a.result.hasDataDifference))
}

function startFiles(waiting: string[], running: Map<string, Attempt>, options: RunOptions): void {
  while (running.size < options.concurrency) {
    const file = nextFile(waiting, running.keys())
    if (file === undefined) return
    waiting.splice(waiting.indexOf(file), 1)
    running.set(file, attempt(file, options.timeoutMs))
  }
}

/** Nothing else runs beside it. */
async function secondAttempt(file: string, run: Run, options: RunOptions): Promise<void> {
  const { events, ended } = attempt(file, options.timeoutMs)
  for await (const event of events) report(event)
  const result = await ended
  if (result.hasPassed) run.unstable.push(file)
  conclude(result, run)
}

/** Counts the last attempt of a file. */
function conclude({ file, hasPassed, seconds, counts }: Result, run: Run): void {
  if (!hasPassed) run.failed.push(file)
  run.durations.set(file, seconds)
  count(counts)
}
