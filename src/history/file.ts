/**
 * The file with the history of samples: an SQLite file of its own. Losing it costs nothing else, so it is not synced, it is
 * in no backup of Berth's state, and a file that cannot be used is replaced.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turnOfEventLoop } from 'node:timers/promises'
import type { Log } from '../lib/log.ts'
import { daySeconds, type Level, type Point } from './levels.ts'
import { addToSeries, readPoints, removeOldDays } from './series.ts'
import { dataOf, type MinuteRow, pairsIn, type SeriesRow, type SeriesValue, statementsOf } from './statements.ts'

export interface History {
  /** Adds the values of one minute. Nothing of it is lost if Berth ends later. */
  record(at: Date, values: readonly SeriesValue[]): Promise<void>
  /** Returns the points of a level from one time to another, both multiples of its seconds since the epoch. */
  read(subject: string, metric: string, level: Level, fromSeconds: number, untilSeconds: number): Point[]
  /** Removes what is older than its level keeps, and the series of other subjects than these. */
  prune(at: Date, subjects: ReadonlySet<string>): Promise<void>
  close(): void
}

const version = 1

/**
 * A minute is one row, because writing a value into each of a thousand series costs much more. Once ten minutes are
 * complete, their values go into the series: a row for each series, level and day. The number of a series is never used
 * again, because minutes may still name a removed one. The tables are made in one transaction, because Berth may end
 * meanwhile.
 */
const schema = `
  begin immediate;
  create table "minute" ("at" integer primary key, "data" blob not null) strict;
  create table "series" ("id" integer primary key autoincrement, "subject" text not null, "metric" text not null,
    unique ("subject", "metric")) strict;
  create table "day" ("series" integer not null, "seconds" integer not null, "day" integer not null,
    "data" blob not null, primary key ("series", "seconds", "day")) strict, without rowid;
  pragma user_version = ${version};
  commit;
`

/** How many series are changed at once, before other work gets its turn. */
const seriesAtOnce = 10
const rowsAtOnce = 100

/** The content of the file cannot be used, now or later. */
class UnusableFile extends Error {}

/**
 * Opens the history. A file that cannot be used is replaced. If none can be opened now, because the disk is full for
 * example, the history is kept in memory until Berth ends.
 *
 * @param folder the data folder
 */
export function openHistory(folder: string, log: Pick<Log, 'error'>): History {
  const path = join(folder, 'history.db')
  try {
    return historyIn(openUsable(path, log))
  } catch (error) {
    log.error('the history cannot be opened and is kept in memory', error)
    return historyIn(openFile(':memory:'))
  }
}

function openUsable(path: string, log: Pick<Log, 'error'>): DatabaseSync {
  try {
    return openFile(path)
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error
    log.error('the history cannot be used and begins anew', error)
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
    return openFile(path)
  }
}

function openFile(path: string): DatabaseSync {
  const file = new DatabaseSync(path)
  try {
    file.exec('pragma journal_mode = wal; pragma synchronous = off; pragma journal_size_limit = 4194304;')
    const { user_version: found } = file.prepare('pragma user_version').get() as { user_version: number }
    if (found === 0) file.exec(schema)
    else if (found !== version) throw new UnusableFile(`It has version ${found}, and this Berth reads ${version}`)
    const { quick_check: check } = file.prepare('pragma quick_check(1)').get() as { quick_check: string }
    if (check !== 'ok') throw new UnusableFile(check)
    return file
  } catch (error) {
    file.close()
    throw damage.has((error as { errcode?: number }).errcode ?? 0) ? new UnusableFile(String(error)) : error
  }
}

/** SQLITE_CORRUPT and SQLITE_NOTADB. Source: sqlite.org/rescode.html. */
const damage: ReadonlySet<number> = new Set([11, 26])

function historyIn(file: DatabaseSync): History {
  const sql = statementsOf(file)
  let isOpen = true
  const transact = (work: () => void) => {
    file.exec('begin immediate')
    try {
      work()
      file.exec('commit')
    } catch (error) {
      // SQLite has already ended the transaction if the disk is full.
      if (file.isTransaction) file.exec('rollback')
      throw error
    }
  }
  return {
    async record(at, values) {
      const minute = Math.floor(at.getTime() / 60_000)
      transact(() => sql.addMinute.run(minute, dataOf(values, sql)))
      const complete = Math.floor(minute / 10) * 10
      const rows = sql.minutesBefore.all(complete) as unknown as MinuteRow[]
      if (rows.length > 0) await fold(rows)
    },
    read: (subject, metric, level, from, until) => readPoints(sql, subject, metric, level, from, until),
    async prune(at, subjects) {
      const today = Math.floor(at.getTime() / 1000 / daySeconds)
      const all = sql.allSeries.all() as unknown as SeriesRow[]
      for (let i = 0; i < all.length && isOpen; i += seriesAtOnce) {
        transact(() => {
          for (const { id } of all.slice(i, i + seriesAtOnce)) removeOldDays(sql, id, today)
        })
        await turnOfEventLoop()
      }
      for (const { id } of all.filter(({ subject }) => !subjects.has(subject))) {
        while (isOpen && Number(sql.removeSeriesDays.run(id, rowsAtOnce).changes) > 0) await turnOfEventLoop()
        if (isOpen) sql.removeSeries.run(id)
      }
    },
    close() {
      isOpen = false
      file.close()
    },
  }

  /** Puts minutes into their series. Can be repeated: each value has its place in its day. */
  async function fold(rows: MinuteRow[]) {
    const bySeries = Map.groupBy(
      rows.flatMap(({ at, data }) => pairsIn(data).map((pair) => ({ at, ...pair }))),
      ({ series }) => series,
    )
    const all = [...bySeries]
    for (let i = 0; i < all.length && isOpen; i += seriesAtOnce) {
      transact(() => {
        for (const [series, values] of all.slice(i, i + seriesAtOnce)) addToSeries(sql, series, values)
      })
      await turnOfEventLoop()
    }
    if (isOpen) sql.removeMinutes.run(rows.at(-1)!.at)
  }
}
