/** Retention deletes only dumps that no rule keeps, and never the newest dump of a database. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expendableDumps } from './retention.ts'

const day = 24 * 3600_000
const now = new Date('2026-11-22T00:00:00.000Z')
const columnsOf = (database: string, databaseId = 'service') => ({ database, databaseId, holdsOlder: 0 as 0 | 1 })
/** One run per day, one millisecond younger than its `age` in days. The newest is `run 8`, with the age 1. */
const runs = [5, 4, 3, 2, 1].map((age) => ({
  ...columnsOf('shop'),
  id: `run ${9 - age}`,
  age,
  finishedAt: new Date(now.getTime() - age * day + 1).toISOString(),
}))

const cases: [name: string, keepLatest: number | null, keepDays: number | null, deleted: number[]][] = [
  ['deletes nothing without rules', null, null, []],
  ['keeps the latest two', 2, null, [3, 4, 5]],
  ['deletes nothing if fewer dumps exist than keepLatest', 9, null, []],
  ['keeps the dumps of three days', null, 3, [4, 5]],
  ['keeps the dumps of one day', null, 1, [2, 3, 4, 5]],
  ['keeps a dump that either rule keeps, if keepDays keeps more', 2, 4, [5]],
  ['keeps a dump that either rule keeps, if keepLatest keeps more', 4, 2, [5]],
]
for (const [name, keepLatest, keepDays, deleted] of cases) {
  test(name, () => {
    const ages = expendableDumps({ keepLatest, keepDays }, runs, 'run 8', now).map(({ age }) => age)
    assert.deepEqual(ages.toSorted(), deleted)
  })
}

test('keeps the newest even if all dumps are older than keepDays', () => {
  const expired = expendableDumps(
    { keepLatest: null, keepDays: 1 },
    runs,
    'run 8',
    new Date(now.getTime() + 1000 * day),
  )
  assert.deepEqual(expired.map(({ age }) => age).toSorted(), [2, 3, 4, 5])
  assert.deepEqual(expendableDumps({ keepLatest: 1, keepDays: null }, runs.slice(0, 1), 'run 4', now), [])
})

test('treats the dump that just succeeded as the newest even if the clock was set back', () => {
  const ids = expendableDumps({ keepLatest: 2, keepDays: null }, runs, 'run 4', now).map(({ id }) => id)
  assert.deepEqual(ids.toSorted(), ['run 5', 'run 6', 'run 7'])
})

const named = (database: string, ids: string[], databaseId?: string) =>
  ids.map((id, index) => ({
    ...columnsOf(database, databaseId),
    id,
    finishedAt: new Date(now.getTime() - (9 - index) * day).toISOString(),
  }))

test('counts each database name separately and keeps the newest of each', () => {
  const all = [...named('old', ['1', '2', '3']), ...named('new', ['4', '5'])]
  const deletedIds = (keepLatest: number | null, keepDays: number | null) =>
    expendableDumps({ keepLatest, keepDays }, all, '5', now)
      .map(({ id }) => id)
      .toSorted()
  assert.deepEqual(deletedIds(2, null), ['1'])
  assert.deepEqual(deletedIds(1, null), ['1', '2', '4'])
  assert.deepEqual(deletedIds(null, 1), ['1', '2', '4'])
})

test('counts databases of the same name in two services separately', () => {
  const all = [...named('shop', ['1', '2'], 'one'), ...named('shop', ['3'], 'other')]
  assert.deepEqual(
    expendableDumps({ keepLatest: 1, keepDays: null }, all, '3', now).map(({ id }) => id),
    ['1'],
  )
})

const markedCases: [
  name: string,
  marked: string[],
  keepLatest: number | null,
  keepDays: number | null,
  deleted: string[],
][] = [
  ['applies the rules to all dumps if no dump is marked', [], 1, null, ['1', '2', '3', '4']],
  ['keeps all older dumps if the newest dump is marked', ['5'], 1, null, []],
  [
    'keeps dumps older than the first of several marked dumps, and applies the rules to the marked dumps',
    ['3', '4', '5'],
    1,
    null,
    ['3', '4'],
  ],
  ['keeps dumps older than the first marked dump regardless of keepDays', ['4', '5'], null, 1, ['4']],
  ['deletes nothing without rules', ['5'], null, null, []],
]
for (const [name, marked, keepLatest, keepDays, deleted] of markedCases) {
  test(`marks of shrunk dumps: ${name}`, () => {
    const all = named('shop', ['1', '2', '3', '4', '5']).map((run) => ({
      ...run,
      holdsOlder: marked.includes(run.id) ? (1 as const) : (0 as const),
    }))
    assert.deepEqual(
      expendableDumps({ keepLatest, keepDays }, all, '5', now)
        .map(({ id }) => id)
        .toSorted(),
      deleted,
    )
  })
}

test('marks of shrunk dumps: do not keep the dumps of another database name', () => {
  const marked = named('new', ['3', '4']).map((run) => ({ ...run, holdsOlder: 1 as const }))
  const all = [...named('old', ['1', '2']), ...marked]
  assert.deepEqual(
    expendableDumps({ keepLatest: 1, keepDays: null }, all, '4', now)
      .map(({ id }) => id)
      .toSorted(),
    ['1', '3'],
  )
})
