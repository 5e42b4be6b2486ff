/** Runs one test file in its own process. */
import { existsSync, statfsSync } from 'node:fs'
import { resolve } from 'node:path'
import { run } from 'node:test'
import type { TestEvent } from 'node:test/reporters'
import { isSlow } from './files.ts'
import { isDataDifference } from './verdict.ts'

export interface Attempt {
  file: string
  /** The events of the tests, without the counts. A reader waits for events that have not arrived yet. */
  events: AsyncIterable<TestEvent>
  ended: Promise<Result>
}

export interface Result {
  file: string
  hasPassed: boolean
  /** A comparison of data failed. */
  hasDataDifference: boolean
  seconds: number
  /** Numbers by name, such as `tests` and `fail`. Complete once the events have been read. */
  counts: Map<string, number>
}

/**
 * --test-force-exit ends a file after its tests, even if a failed test left something open. Blocking writes keep its
 * last output. Without them, Node would lose the output that did not fit into the pipe.
 */
const blockingOutput = '--import=data:text/javascript,process.stdout._handle?.setBlocking?.(true)'

/** A folder in memory for the quick tests, where fsync is free; undefined if there is less than 1 GiB. */
function memoryFolder(): string | undefined {
  const folder = '/dev/shm'
  if (!existsSync(folder)) return undefined
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize > 2 ** 30 ? folder : undefined
}

/**
 * Starts a file. `ended` resolves at its end, whether or not its events have been read.
 * @param timeoutMs how long each test may take; undefined: no limit
 */
export function attempt(file: string, timeoutMs?: number): Attempt {
  // Each file runs in its own process. The processes share compiled code in the cache.
  const env: NodeJS.ProcessEnv = { NODE_COMPILE_CACHE: resolve('node_modules/.cache/tests'), ...process.env }
  const folder = isSlow(file) ? undefined : memoryFolder()
  if (folder !== undefined) env.TMPDIR = folder
  const limit = timeoutMs === undefined ? [] : [`--test-timeout=${timeoutMs}`]
  const stream = run({ files: [file], execArgv: ['--test-force-exit', blockingOutput, ...limit], env })
  const counts = new Map<string, number>()
  let hasDataDifference = false
  stream.on('test:fail', ({ details }) => {
    hasDataDifference ||= isDataDifference(details.error)
  })
  const { promise: ended, resolve: end } = Promise.withResolvers<Result>()
  stream.on('test:summary', ({ file: of, success, duration_ms }) => {
    if (of !== undefined) return // that of the file; the one of the whole stream follows
    end({ file, hasPassed: success, hasDataDifference, seconds: Math.round(duration_ms / 1000), counts })
  })
  return { file, events: withoutCounts(stream, counts), ended }
}

const COUNT = /^(tests|suites|pass|fail|cancelled|skipped|todo) ([\d.]+)$/

/** Passes events on, except the summary of the file, whose numbers are added to `counts`. */
async function* withoutCounts(events: AsyncIterable<TestEvent>, counts: Map<string, number>): AsyncIterable<TestEvent> {
  for await (const event of events) {
    if (event.type === 'test:summary') continue
    if (event.type !== 'test:diagnostic' || event.data.nesting !== 0) {
      yield event
      continue
    }
    const [, name, value] = COUNT.exec(event.data.message) ?? []
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + Number(value))
    else if (!event.data.message.startsWith('duration_ms ')) yield event
  }
}
