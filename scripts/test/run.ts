/** A run of several files: the quick ones, then the slow ones, each with a second attempt for the files that failed. */
import { type Attempt, attempt, type Result } from './attempt.ts'
import { isSlow } from './files.ts'
import { inOrder, nextFile } from './order.ts'
import { count, report, reportApart } from './report.ts'
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
  conclude(await reportWhileRunning(file, options), run)
}

async function reportWhileRunning(file: string, options: RunOptions): Promise<Result> {
  const { events, ended } = attempt(file, options.timeoutMs)
  for await (const event of events) report(event)
  return ended
}

async function runPhase(files: string[], run: Run, options: RunOptions): Promise<void> {
  const failures = await firstAttempts(files, run, options)
  for (const failure of failures) {
    if (failure.hasDataDifference || isLost(run)) conclude(failure, run)
    else await secondAttempt(failure.file, run, options)
  }
}

/** Reports each file when it ends. Returns those that failed, which are not counted yet. */
async function firstAttempts(files: string[], run: Run, options: RunOptions): Promise<Result[]> {
  const waiting = inOrder(files, options.durations)
  const running = new Map<string, Attempt>()
  const failures: Result[] = []
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
      await reportApart(`The first attempt of ${result.file} failed:`, events)
      failures.push(result)
    }
  }
  // A comparison that failed comes first: after it, no other file needs a second attempt.
  return failures.sort((a, b) => Number(b.hasDataDifference) - Number(a.hasDataDifference))
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
  const result = await reportWhileRunning(file, options)
  if (result.hasPassed) run.unstable.push(file)
  conclude(result, run)
}

/** Counts the last attempt of a file. */
function conclude({ file, hasPassed, seconds, counts }: Result, run: Run): void {
  if (!hasPassed) run.failed.push(file)
  run.durations.set(file, seconds)
  count(counts)
}
