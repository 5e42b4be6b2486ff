/** The report of a run on standard output: the spec reporter of Node, with one summary for all files. */
import { Readable } from 'node:stream'
import { spec, type TestEvent } from 'node:test/reporters'
import { text } from 'node:stream/consumers'

const reporter = new spec()
const totals = new Map<string, number>()

/** Begins the report. Call it once, before any other function of this file. */
export function openReport(): void {
  reporter.pipe(process.stdout)
}

export const report = (event: TestEvent): unknown => reporter.write(event)

const say = (message: string): unknown =>
  reporter.write({ type: 'test:diagnostic', data: { nesting: 0, level: 'info', message } })

/** Adds the numbers of a file, such as `tests` and `fail`, to those of the run. */
export function count(counts: ReadonlyMap<string, number>): void {
  for (const [name, value] of counts) totals.set(name, (totals.get(name) ?? 0) + value)
}

/** Reports a first attempt that failed. Its tests are not among those that the report lists at its end. */
export async function reportApart(heading: string, events: TestEvent[]): Promise<void> {
  const output = await text(Readable.from(events).pipe(new spec()))
  reporter.write({ type: 'test:stdout', data: { file: '', message: `${heading}\n${output}\n` } })
}

/**
 * Ends the report with the sum of all counts.
 * @param durations seconds by file, of the files of this run
 */
export function closeReport(durations: ReadonlyMap<string, number>, remarks: string[]): void {
  const slowest = [...durations].sort(([, a], [, b]) => b - a).slice(0, 12)
  for (const [file, seconds] of slowest) say(`${seconds} s ${file}`)
  for (const remark of remarks) say(remark)
  // BERTH_TEST_BEGAN: the start time of ./berth, in seconds since 1970.
  const began = Number(process.env.BERTH_TEST_BEGAN ?? performance.timeOrigin / 1000)
  say(`${Math.round(Date.now() / 1000 - began)} s in total, with installation, build and checks`)
  // The sum of the durations of concurrent files is meaningless.
  for (const [name, total] of totals) say(`${name} ${total}`)
  say(`duration_ms ${Math.round(performance.now())}`)
  reporter.end()
}
