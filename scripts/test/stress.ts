/** Repeats one test file under load and counts the failures of each of its tests. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { spec, type TestEvent } from 'node:test/reporters'
import { attempt } from './attempt.ts'

export interface TestCount {
  runs: number
  failures: number
  /** The number of the first repetition in which the test failed, from 1. */
  firstFailure: number | undefined
}

/** @returns whether every test passed every time */
export async function stress(file: string, times: number): Promise<boolean> {
  const tests = new Map<string, TestCount>()
  const durations: number[] = []
  const outputs = new Map<number, string>()
  for (let time = 1; time <= times; time++) {
    const { events: arriving, ended } = attempt(file)
    const events = await Array.fromAsync(arriving)
    const { hasPassed, seconds } = await ended
    durations.push(seconds)
    countTests(events, time, tests)
    if (!hasPassed) outputs.set(time, await text(Readable.from(events).pipe(new spec())))
    console.log(`${time} of ${times}: ${hasPassed ? 'passed' : 'failed'} after ${seconds} s`)
  }
  for (const line of stressReport(tests, durations)) console.log(line)
  printOutputs(tests, outputs)
  return outputs.size === 0
}

/** Adds the tests of one repetition. A test is named with the suites that it is in. */
export function countTests(events: TestEvent[], time: number, tests: Map<string, TestCount>): void {
  const names = new Map<number, string>()
  for (const { type, data } of events) {
    if (type === 'test:start') {
      const parent = data.parentId === undefined ? undefined : names.get(data.parentId)
      names.set(data.testId, parent === undefined ? data.name : `${parent} > ${data.name}`)
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const name = names.get(data.testId) ?? data.name
    const counted = tests.get(name) ?? { runs: 0, failures: 0, firstFailure: undefined }
    counted.runs++
    if (type === 'test:fail') {
      counted.failures++
      counted.firstFailure ??= time
    }
    tests.set(name, counted)
  }
}

/** @param durations seconds of each repetition */
export function stressReport(tests: ReadonlyMap<string, TestCount>, durations: number[]): string[] {
  const byFailures = [...tests].sort(([, a], [, b]) => b.failures - a.failures)
  const [shortest, median, longest] = [0, 0.5, 1].map((share) => quantile(durations, share))
  return [
    `seconds: shortest ${shortest}, median ${median}, longest ${longest}`,
    'failures of runs  test',
    ...byFailures.map(([name, { failures, runs }]) => `${failures} of ${runs}`.padStart(16).concat(`  ${name}`)),
  ]
}

const quantile = (values: number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.round(share * (values.length - 1))] ?? 0

/** Prints each repetition in which a test failed for the first time, and stores the others. */
function printOutputs(tests: ReadonlyMap<string, TestCount>, outputs: ReadonlyMap<number, string>): void {
  if (outputs.size === 0) return
  const first = new Set([...tests.values()].map(({ firstFailure }) => firstFailure))
  const folder = mkdtempSync(join(tmpdir(), 'berth-stress-'))
  for (const [time, output] of outputs) {
    writeFileSync(join(folder, `${time}.txt`), output)
    if (first.has(time)) console.log(`\nRepetition ${time}:\n${output}`)
  }
  console.log(`The output of each failed repetition is in ${folder}`)
}
