/**
 * main.ts SCOPE [--load N] [--times N] [PATTERN...]: runs test files concurrently, with one report and one summary.
 *
 * SCOPE: unit, e2e, console or all; or faults, node-faults, crash, soak, versions or release, which include long tests that no other
 * scope runs; or stress, which repeats the only file.
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { readDurations, storeDurations } from './durations.ts'
import { filesOf } from './files.ts'
import { startLoad } from './load.ts'
import { closeReport, openReport } from './report.ts'
import { runFiles } from './run.ts'
import { stress } from './stress.ts'
import { isLost, remarks } from './verdict.ts'

function fail(message: string): never {
  console.error(`berth: ${message}`)
  process.exit(1)
}

function parse() {
  const options = { load: { type: 'string' }, times: { type: 'string' } } as const
  try {
    return parseArgs({ options, allowPositionals: true })
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error))
  }
}

/** @param value of the option, as typed */
function numberOf(option: string, value: string | undefined, otherwise: number, least: number): number {
  if (value === undefined) return otherwise
  const number = Number(value)
  if (!/^\d+$/.test(value) || number < least || number > 1000) {
    fail(`--${option} needs a whole number from ${least} to 1000, not '${value}'`)
  }
  return number
}

/** @returns at least one file; exactly one for `stress` */
function wantedFiles(scope: string, patterns: string[]): string[] {
  if (scope === 'stress' && patterns.length === 0) {
    fail('stress needs a test file: ./berth test stress FILE [--times 20] [--load 4]')
  }
  const files = filesOf(scope, patterns)
  if (files.length === 0) fail(`no test file of scope '${scope}' matches ${patterns.join(' ')}`)
  if (scope === 'stress' && files.length > 1) {
    fail(`stress repeats one file, but ${files.length} files match ${patterns.join(' ')}`)
  }
  return files
}

/** @returns whether the run passed */
async function runScope(scope: string, files: string[]): Promise<boolean> {
  if (scope === 'versions' || scope === 'faults') process.env.BERTH_TEST_ALL = '1'
  openReport()
  const run = await runFiles(files, {
    // One more than cores because tests also wait. Not for `versions`, where each file starts many servers.
    concurrency: availableParallelism() + (scope === 'versions' ? 0 : 1),
    timeoutMs: ['all', 'unit', 'e2e'].includes(scope) ? 20 * 60_000 : undefined,
    durations: readDurations(),
  })
  // A file that runs alone takes less time than beside others.
  if (files.length > 1) storeDurations(run.durations)
  closeReport(run.durations, remarks(run))
  return !isLost(run)
}

const { values, positionals } = parse()
const [scope = 'all', ...patterns] = positionals
const isStress = scope === 'stress'
const times = numberOf('times', values.times, 20, 1)
if (values.times !== undefined && !isStress) fail('--times belongs to ./berth test stress FILE')
const load = numberOf('load', values.load, isStress ? 4 : 0, 0)
const files = wantedFiles(scope, patterns)
const endLoad = startLoad(load)
try {
  const hasPassed = isStress ? await stress(files[0]!, times) : await runScope(scope, files)
  if (!hasPassed) process.exitCode = 1
} finally {
  endLoad()
}
