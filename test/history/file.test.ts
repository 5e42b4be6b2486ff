/** The file of the history: what it keeps, at which resolution, for how long and in how much space. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { type History, openHistory } from '../../src/history/file.ts'
import { daySeconds, levels } from '../../src/history/levels.ts'
import { temporaryFolder } from '../fixtures/folder.ts'
import { fillHistory } from './generator.ts'

const [minutes, tenMinutes, hours] = levels as [(typeof levels)[0], (typeof levels)[0], (typeof levels)[0]]
const noon = Date.parse('2030-06-01T12:00:00.000Z') / 1000
const at = (seconds: number) => new Date(seconds * 1000)

function openIn(t: { after(work: () => void): void }, folder = temporaryFolder(t)) {
  const errors: string[] = []
  const history = openHistory(folder, { error: (message) => errors.push(message) })
  let isOpen = true
  const close = () => {
    if (isOpen) history.close()
    isOpen = false
  }
  t.after(close)
  return { history, folder, errors, close }
}

/** Records one value a minute. */
async function recordMinutes(history: History, from: number, values: readonly number[]) {
  for (const [i, value] of values.entries()) {
    await history.record(at(from + i * 60), [{ subject: 'db1', metric: 'connections', value }])
  }
}

const means = (history: History, level: (typeof levels)[0], from: number, until: number, subject = 'db1') =>
  history.read(subject, 'connections', level, from, until).map(({ mean }) => mean)

test('a value can be read at once, and after its ten minutes are complete', async (t) => {
  const { history } = openIn(t)
  await recordMinutes(history, noon, [1, 2, 3])
  assert.deepEqual(means(history, minutes, noon - 60, noon + 240), [null, 1, 2, 3, null])
  await recordMinutes(history, noon + 180, [4, 5, 6, 7, 8, 9, 10, 11])
  assert.deepEqual(means(history, minutes, noon, noon + 660), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
})

test('ten minutes and an hour have the mean and the maximum of what was measured', async (t) => {
  const { history } = openIn(t)
  await recordMinutes(history, noon, [...Array(9).fill(1), 11, ...Array(50).fill(3), 0])
  const [first, second] = history.read('db1', 'connections', tenMinutes, noon, noon + 1200)
  assert.deepEqual(
    [first, second],
    [
      { mean: 2, max: 11 },
      { mean: 3, max: 3 },
    ],
  )
  const [hour, next] = history.read('db1', 'connections', hours, noon, noon + 7200)
  assert.ok(Math.abs(hour!.mean! - 17 / 6) < 0.02, String(hour!.mean))
  assert.equal(hour!.max, 11)
  assert.deepEqual(next, { mean: null, max: null })
})

test('the values survive the end of Berth at any minute, and midnight', async (t) => {
  const midnight = Date.parse('2030-06-02T00:00:00.000Z') / 1000
  const first = openIn(t)
  await recordMinutes(first.history, midnight - 300, [1, 2, 3, 4, 5, 6, 7])
  first.close()
  const { history } = openIn(t, first.folder)
  assert.deepEqual(means(history, minutes, midnight - 300, midnight + 180), [1, 2, 3, 4, 5, 6, 7, null])
  await recordMinutes(history, midnight + 120, Array(20).fill(8))
  assert.deepEqual(means(history, minutes, midnight - 120, midnight + 180), [4, 5, 6, 7, 8])
  assert.deepEqual(means(history, tenMinutes, midnight - 600, midnight), [3])
})

test('an end of Berth while minutes are put into their series loses nothing', async (t) => {
  const { history, folder, close } = openIn(t)
  const subjects = Array.from({ length: 30 }, (_, i) => `db${i}`)
  const valuesOf = (value: number) => subjects.map((subject) => ({ subject, metric: 'connections', value }))
  for (let minute = 0; minute < 10; minute++) await history.record(at(noon + minute * 60), valuesOf(minute))
  const folding = history.record(at(noon + 600), valuesOf(10))
  close()
  await folding
  const again = openIn(t, folder).history
  const found = () => subjects.map((subject) => means(again, tenMinutes, noon, noon + 600, subject)[0])
  // Some series have their values, and the minutes have those of the others.
  assert.deepEqual(new Set(found()), new Set([4.5, null]))
  assert.deepEqual(means(again, minutes, noon, noon + 180, 'db29'), [0, 1, 2])
  await again.record(at(noon + 660), valuesOf(11))
  assert.deepEqual(new Set(found()), new Set([4.5]))
})

test('days and hours without samples have no values, not zeros', async (t) => {
  const { history } = openIn(t)
  await recordMinutes(history, noon, Array(11).fill(5))
  await recordMinutes(history, noon + 3 * daySeconds, Array(11).fill(7))
  const hourly = means(history, hours, noon, noon + 3 * daySeconds + 7200)
  assert.equal(hourly.length, 74)
  assert.deepEqual([hourly[0], hourly[72]], [5, 7])
  assert.deepEqual(new Set([...hourly.slice(1, 72), hourly[73]]), new Set([null]))
})

test('a clock that is set back replaces values, and keeps the later ones', async (t) => {
  const { history } = openIn(t)
  await recordMinutes(history, noon, Array(25).fill(1))
  await recordMinutes(history, noon + 300, Array(3).fill(9))
  await recordMinutes(history, noon + 1500, Array(10).fill(2))
  assert.deepEqual(means(history, minutes, noon + 240, noon + 540), [1, 9, 9, 9, 1])
  assert.deepEqual(means(history, minutes, noon + 1380, noon + 1560), [1, 1, 2])
})

test('series of different subjects and metrics do not mix, and an unknown one has no values', async (t) => {
  const { history } = openIn(t)
  await history.record(at(noon), [
    { subject: 'db1', metric: 'connections', value: 1 },
    { subject: 'db2', metric: 'connections', value: 2 },
    { subject: 'db1', metric: 'up', value: 0 },
  ])
  assert.deepEqual(
    [means(history, minutes, noon, noon + 60), means(history, minutes, noon, noon + 60, 'db2')],
    [[1], [2]],
  )
  assert.deepEqual(history.read('db1', 'up', minutes, noon, noon + 60), [{ mean: 0, max: 0 }])
  assert.deepEqual(means(history, hours, noon, noon + 7200, 'db3'), [null, null])
})

test('pruning removes old days of each level, and the series of removed subjects', async (t) => {
  const { folder, close } = openIn(t)
  close()
  fillHistory(folder, ['db1', 'db2'], at(noon))
  const reopened = openIn(t, folder).history
  const later = noon + 40 * daySeconds
  await reopened.prune(at(later), new Set(['db1']))
  const has = (level: (typeof levels)[0], day: number, subject = 'db1') =>
    reopened.read(subject, 'up', level, day, day + level.seconds)[0]!.mean !== null
  assert.deepEqual([has(minutes, noon), has(tenMinutes, noon), has(hours, noon)], [false, false, true])
  assert.deepEqual([has(hours, later - 360 * daySeconds), has(hours, later - 366 * daySeconds)], [true, false])
  assert.equal(has(hours, noon, 'db2'), false)
})

test('a removed series gets no values of minutes that name it, and neither does a new one', async (t) => {
  const { history } = openIn(t)
  await recordMinutes(history, noon, [7, 7])
  await history.prune(at(noon + 120), new Set())
  await history.record(at(noon + 120), [{ subject: 'db2', metric: 'connections', value: 1 }])
  assert.deepEqual(means(history, minutes, noon, noon + 180, 'db2'), [null, null, 1])
  for (let minute = 3; minute < 12; minute++)
    await history.record(at(noon + minute * 60), [{ subject: 'db2', metric: 'connections', value: 1 }])
  assert.deepEqual(means(history, tenMinutes, noon, noon + 600, 'db2'), [1])
  assert.deepEqual(means(history, tenMinutes, noon, noon + 600), [null])
})

test('a year of a database takes less than a megabyte', (t) => {
  const { folder, close } = openIn(t)
  close()
  const empty = statSync(join(folder, 'history.db')).size
  fillHistory(folder, ['db1', 'db2'], at(noon))
  const size = (statSync(join(folder, 'history.db')).size - empty) / 2
  assert.ok(size < 1_000_000, `${size} bytes`)
})

const faults: [title: string, break_: (path: string) => void][] = [
  ['is no SQLite file', (path) => writeFileSync(path, 'no database'.repeat(1000))],
  [
    'has damaged pages',
    (path) => {
      const bytes = readFileSync(path)
      writeFileSync(path, bytes.fill(0xff, 4096))
    },
  ],
  [
    'is of a newer Berth',
    (path) => {
      const file = new DatabaseSync(path)
      file.exec('pragma user_version = 99')
      file.close()
    },
  ],
]
for (const [title, breakFile] of faults) {
  test(`a file that ${title} is replaced, with a line in the log`, async (t) => {
    const { folder, close } = openIn(t)
    close()
    breakFile(join(folder, 'history.db'))
    const { history, errors } = openIn(t, folder)
    assert.deepEqual(errors, ['the history cannot be used and begins anew'])
    await recordMinutes(history, noon, [1])
    assert.deepEqual(means(history, minutes, noon, noon + 60), [1])
  })
}

test('the tables are made all or none, so that a Berth that ends meanwhile leaves an empty file', (t) => {
  const folder = temporaryFolder(t)
  const file = new DatabaseSync(join(folder, 'history.db'))
  // The last table of the schema cannot be made.
  file.exec('create table "day" ("at" integer)')
  openIn(t, folder)
  assert.deepEqual(
    file
      .prepare('select "name" from "sqlite_schema" where "type" = \'table\'')
      .all()
      .map(({ name }) => name),
    ['day'],
  )
  file.exec('drop table "day"')
  file.close()
  assert.deepEqual(openIn(t, folder).errors, [])
})

test('a failure that ends its transaction is reported as it is, and later minutes are recorded', async (t) => {
  const { history, folder } = openIn(t)
  const file = new DatabaseSync(join(folder, 'history.db'))
  t.after(() => file.close())
  // SQLite ends the transaction by itself, as if the disk were full.
  file.exec(`create trigger "full" before insert on "minute" begin select raise(rollback, 'the disk is full'); end`)
  await assert.rejects(recordMinutes(history, noon, [1]), /the disk is full/)
  file.exec('drop trigger "full"')
  await recordMinutes(history, noon, [2])
  assert.deepEqual(means(history, minutes, noon, noon + 60), [2])
})

test('a minute during which another program locks the file is lost, and later ones are recorded', async (t) => {
  const { history, folder } = openIn(t)
  const file = new DatabaseSync(join(folder, 'history.db'))
  t.after(() => file.close())
  file.exec('begin immediate')
  await assert.rejects(recordMinutes(history, noon, [1]), /locked/)
  file.exec('rollback')
  await recordMinutes(history, noon + 60, [2])
  assert.deepEqual(means(history, minutes, noon, noon + 120), [null, 2])
})

test('if no file can be opened, the history is kept in memory, and nothing is removed', async (t) => {
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, 'history.db/kept'), { recursive: true })
  const { history, errors } = openIn(t, folder)
  assert.deepEqual(errors, ['the history cannot be opened and is kept in memory'])
  await recordMinutes(history, noon, [1, 2])
  assert.deepEqual(means(history, minutes, noon, noon + 120), [1, 2])
  assert.ok(existsSync(join(folder, 'history.db/kept')))
})
