/** Measures the history with a year of 100 databases: its size, a year of one series, pruning, and the record of a minute. */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { type History, openHistory } from '../src/history/file.ts'
import { daySeconds, levels } from '../src/history/levels.ts'
import { databaseMetrics } from '../src/samples/sample.ts'
import { fillHistory } from '../test/history/generator.ts'
import { type Section, tableOfFigures } from './figures.ts'
import { median } from './table.ts'

const databases = Array.from({ length: 100 }, (_, i) => `database-${i}`)
const until = new Date('2030-06-01T12:00:00.000Z')
const log = { error: (message: string, error: unknown) => process.stderr.write(`${message}: ${String(error)}\n`) }

export async function benchSeries(): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-bench-series-'))
  try {
    openHistory(folder, log).close()
    fillHistory(folder, databases, until)
    const kilobytes = statSync(join(folder, 'history.db')).size / databases.length / 1000
    const history = openHistory(folder, log)
    const yearMs = median(databases.map((database) => readYear(history, database)))
    const recordMs = await maxDelayMs(() => recordMinutes(history))
    const later = new Date(until.getTime() + 2 * daySeconds * 1000)
    const pruneMs = await maxDelayMs(() => history.prune(later, new Set(databases.slice(0, 50))))
    history.close()
    return tableOfFigures(`the history of ${databases.length} databases over a year`, [
      { what: 'size of a database', value: kilobytes, limit: 1000, digits: 0, unit: 'kB', note: 'all metrics' },
      {
        what: 'a year of one series',
        value: yearMs,
        limit: 50,
        digits: 1,
        unit: 'ms',
        note: 'median of 100 databases',
      },
      { what: 'longest delay by pruning', value: pruneMs, limit: 20, digits: 1, unit: 'ms', note: 'half are removed' },
      { what: 'longest delay by recording', value: recordMs, limit: 20, digits: 1, unit: 'ms', note: '31 minutes' },
    ])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readYear(history: History, database: string): number {
  const end = Math.floor(until.getTime() / 3600_000) * 3600
  const beganAt = performance.now()
  history.read(database, 'connections', levels.at(-1)!, end - 365 * daySeconds, end)
  return performance.now() - beganAt
}

async function recordMinutes(history: History): Promise<void> {
  const values = databases.flatMap((subject) =>
    databaseMetrics.map((metric, i) => ({ subject, metric, value: i + 0.5 })),
  )
  for (let minute = 0; minute < 31; minute++) {
    await history.record(new Date(until.getTime() + minute * 60_000), values)
    await pause(1)
  }
}

/** For how long other work of the process waited at most, in milliseconds. */
async function maxDelayMs(work: () => Promise<void>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await pause(200)
  delay.reset()
  await work()
  await pause(20)
  delay.disable()
  return delay.max / 1e6
}
