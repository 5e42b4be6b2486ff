/** Fills a history with samples of many databases, as they would have been recorded over a long time. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { daySeconds, type Level, levels, slotsOf } from '../../src/history/levels.ts'
import { bytesOf, emptyValues, packed } from '../../src/history/values.ts'
import { databaseMetrics } from '../../src/samples/sample.ts'

/** A load that follows the time of day, with noise that differs at each call and is the same in each run. */
export function loadGenerator(seed: number): (atSeconds: number) => number {
  let state = seed >>> 0 || 1
  return (atSeconds) => {
    // A linear congruential generator with the constants of Numerical Recipes.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const timeOfDay = Math.sin(((atSeconds % daySeconds) / daySeconds) * 2 * Math.PI)
    return 1e6 * (1.5 + timeOfDay) * (0.8 + (state / 2 ** 32) * 0.4)
  }
}

/** Writes complete days of all levels up to `until`. Berth may be running. */
export function fillHistory(
  folder: string,
  subjects: readonly string[],
  until: Date,
  metrics: readonly string[] = databaseMetrics,
): void {
  const file = new DatabaseSync(join(folder, 'history.db'), { timeout: 5000 })
  file.exec('pragma synchronous = off')
  const addSeries = file.prepare(
    'insert into "series" ("subject", "metric") values (?, ?) on conflict do update set "metric" = "metric" returning "id"',
  )
  const putDay = file.prepare('insert or replace into "day" values (?, ?, ?, ?)')
  const today = Math.floor(until.getTime() / 1000 / daySeconds)
  for (const [number, subject] of subjects.entries()) {
    file.exec('begin immediate')
    for (const [i, metric] of metrics.entries()) {
      const { id } = addSeries.get(subject, metric) as { id: number }
      const loadAt = loadGenerator(number * 100 + i)
      for (const level of levels) {
        for (let day = today - level.days + 1; day <= today; day++) {
          putDay.run(id, level.seconds, day, bytesOf(dayWith(loadAt, level, day)))
        }
      }
    }
    file.exec('commit')
  }
  file.exec('pragma wal_checkpoint(truncate)')
  file.close()
}

function dayWith(loadAt: (atSeconds: number) => number, level: Level, day: number): Uint16Array {
  const slots = slotsOf(level)
  const values = emptyValues(slots * (level === levels[0] ? 1 : 2))
  for (let i = 0; i < values.length; i++) {
    values[i] = packed(loadAt(day * daySeconds + (i % slots) * level.seconds))
  }
  return values
}
