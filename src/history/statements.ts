/** The statements on the file of the history, and the values of a minute as bytes. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'

export interface SeriesValue {
  /** The id of a database or a node. */
  subject: string
  metric: string
  value: number
}

export interface MinuteRow {
  /** Minutes since the epoch. */
  at: number
  data: Uint8Array
}

export interface SeriesRow {
  id: number
  subject: string
  metric: string
}

export type Statements = ReturnType<typeof statementsOf>

export const statementsOf = (file: DatabaseSync) => {
  const prepare = (text: string): StatementSync => file.prepare(text)
  return {
    addMinute: prepare('insert or replace into "minute" values (?, ?)'),
    minutesBefore: prepare('select * from "minute" where "at" < ? order by "at"'),
    minutesIn: prepare('select * from "minute" where "at" >= ? and "at" < ? order by "at"'),
    removeMinutes: prepare('delete from "minute" where "at" <= ?'),
    addSeries: prepare('insert or ignore into "series" ("subject", "metric") values (?, ?)'),
    findSeries: prepare('select "id" from "series" where "subject" = ? and "metric" = ?'),
    hasSeries: prepare('select 1 from "series" where "id" = ?'),
    allSeries: prepare('select * from "series"'),
    removeSeries: prepare('delete from "series" where "id" = ?'),
    day: prepare('select "data" from "day" where "series" = ? and "seconds" = ? and "day" = ?'),
    putDay: prepare('insert or replace into "day" values (?, ?, ?, ?)'),
    removeDays: prepare('delete from "day" where "series" = ? and "seconds" = ? and "day" < ?'),
    removeSeriesDays: prepare(
      'delete from "day" where ("series", "seconds", "day") in ' +
        '(select "series", "seconds", "day" from "day" where "series" = ? limit ?)',
    ),
  }
}

export function seriesId(sql: Statements, subject: string, metric: string): number | undefined {
  return (sql.findSeries.get(subject, metric) as { id: number } | undefined)?.id
}

/** The values of a minute: for each series its number (4 bytes) and the value (8 bytes). */
export function dataOf(values: readonly SeriesValue[], sql: Statements): Uint8Array {
  const data = new DataView(new ArrayBuffer(values.length * 12))
  for (const [i, { subject, metric, value }] of values.entries()) {
    let id = seriesId(sql, subject, metric)
    if (id === undefined) {
      sql.addSeries.run(subject, metric)
      id = seriesId(sql, subject, metric)!
    }
    data.setUint32(i * 12, id)
    data.setFloat64(i * 12 + 4, value)
  }
  return new Uint8Array(data.buffer)
}

export function pairsIn(bytes: Uint8Array): { series: number; value: number }[] {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from({ length: Math.floor(bytes.byteLength / 12) }, (_, i) => ({
    series: data.getUint32(i * 12),
    value: data.getFloat64(i * 12 + 4),
  }))
}
