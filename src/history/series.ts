/** Reads and changes the days of a series. */
import { daySeconds, type Level, levels, merged, type Point, slotsOf } from './levels.ts'
import { type MinuteRow, pairsIn, seriesId, type Statements } from './statements.ts'
import { bytesOf, packed, unpacked, valuesFrom } from './values.ts'

const [minutes, tenMinutes, hours] = levels as [Level, Level, Level]

/** A day of a series has its means, and for the coarser levels its maxima after them. */
const lengthOf = (level: Level) => slotsOf(level) * (level === minutes ? 1 : 2)

function dayOf(sql: Statements, series: number, level: Level, day: number): Uint16Array {
  const row = sql.day.get(series, level.seconds, day) as { data: Uint8Array } | undefined
  return valuesFrom(row?.data, lengthOf(level))
}

function pointIn(values: Uint16Array, level: Level, slot: number): Point {
  const mean = unpacked(values[slot]!)
  return { mean, max: level === minutes ? mean : unpacked(values[slotsOf(level) + slot]!) }
}

const pointsIn = (values: Uint16Array, level: Level, from: number, count: number) =>
  Array.from({ length: count }, (_, i) => pointIn(values, level, from + i))

export function addToSeries(sql: Statements, series: number, values: readonly { at: number; value: number }[]) {
  // A series that was removed meanwhile stays removed.
  if (sql.hasSeries.get(series) === undefined) return
  for (const [day, ofDay] of Map.groupBy(values, ({ at }) => Math.floor(at / 1440))) {
    const byMinute = dayOf(sql, series, minutes, day)
    for (const { at, value } of ofDay) byMinute[at % 1440] = packed(value)
    sql.putDay.run(series, minutes.seconds, day, bytesOf(byMinute))
    const byTenMinutes = rolledUp(byMinute, minutes, dayOf(sql, series, tenMinutes, day), tenMinutes, ofDay)
    sql.putDay.run(series, tenMinutes.seconds, day, bytesOf(byTenMinutes))
    const byHour = rolledUp(byTenMinutes, tenMinutes, dayOf(sql, series, hours, day), hours, ofDay)
    sql.putDay.run(series, hours.seconds, day, bytesOf(byHour))
  }
}

/** Computes those values of the coarser level that contain one of the minutes. */
function rolledUp(
  finer: Uint16Array,
  finerLevel: Level,
  coarser: Uint16Array,
  level: Level,
  changed: readonly { at: number }[],
): Uint16Array {
  const each = level.seconds / finerLevel.seconds
  for (const slot of new Set(changed.map(({ at }) => Math.floor(((at % 1440) * 60) / level.seconds)))) {
    const { mean, max } = merged(pointsIn(finer, finerLevel, slot * each, each))
    coarser[slot] = packed(mean)
    coarser[slotsOf(level) + slot] = packed(max)
  }
  return coarser
}

/** @param today days since the epoch */
export function removeOldDays(sql: Statements, series: number, today: number) {
  for (const { seconds, days } of levels) sql.removeDays.run(series, seconds, today - days + 1)
}

export function readPoints(
  sql: Statements,
  subject: string,
  metric: string,
  level: Level,
  fromSeconds: number,
  untilSeconds: number,
): Point[] {
  const count = Math.max(0, Math.floor((untilSeconds - fromSeconds) / level.seconds))
  const series = seriesId(sql, subject, metric)
  if (series === undefined) return Array.from({ length: count }, () => ({ mean: null, max: null }))
  const points: Point[] = []
  const slots = slotsOf(level)
  for (let at = fromSeconds; points.length < count; ) {
    const slot = Math.floor((at % daySeconds) / level.seconds)
    const taken = Math.min(slots - slot, count - points.length)
    points.push(...pointsIn(dayOf(sql, series, level, Math.floor(at / daySeconds)), level, slot, taken))
    at += taken * level.seconds
  }
  if (level === minutes) addRecent(sql, series, points, fromSeconds, untilSeconds)
  return points
}

/** Adds the minutes that are not in the series yet. */
function addRecent(sql: Statements, series: number, points: Point[], fromSeconds: number, untilSeconds: number) {
  const rows = sql.minutesIn.all(fromSeconds / 60, untilSeconds / 60) as unknown as MinuteRow[]
  for (const { at, data } of rows) {
    const value = pairsIn(data).find((pair) => pair.series === series)?.value
    if (value !== undefined) points[at - fromSeconds / 60] = { mean: value, max: value }
  }
}
