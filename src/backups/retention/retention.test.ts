/** What may go: only what every rule lets go, and never the newest. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { superfluous } from './retention.ts'

const day = 24 * 3600_000
const now = new Date('2026-11-22T00:00:00.000Z')
const of = (database: string, databaseId = 'service') => ({ database, databaseId, holdsOlder: 0 as 0 | 1 })
/** One a day, the last of them a day old: run 1 is the newest. */
const runs = [5, 4, 3, 2, 1].map((age) => ({
  ...of('shop'),
  id: `run ${9 - age}`,
  age,
  finishedAt: new Date(now.getTime() - age * day + 1).toISOString(),
}))

const cases: [what: string, keepLatest: number | null, keepDays: number | null, gone: number[]][] = [
  ['no rules: nothing goes', null, null, []],
  ['the latest two stay', 2, null, [3, 4, 5]],
  ['more than there are: nothing goes', 9, null, []],
  ['those of three days stay', null, 3, [4, 5]],
  ['a day: the newest stays in any case', null, 1, [2, 3, 4, 5]],
  ['both: what one rule keeps stays', 2, 4, [5]],
  ['both, the other way round', 4, 2, [5]],
]
for (const [what, keepLatest, keepDays, gone] of cases) {
  test(what, () => {
    const found = superfluous({ keepLatest, keepDays }, runs, 'run 8', now).map(({ age }) => age)
    assert.deepEqual(found.toSorted(), gone)
  })
}

test('the newest stays, even where all are older than any rule says', () => {
  const found = superfluous({ keepLatest: null, keepDays: 1 }, runs, 'run 8', new Date(now.getTime() + 1000 * day))
  assert.deepEqual(found.map(({ age }) => age).toSorted(), [2, 3, 4, 5])
  assert.deepEqual(superfluous({ keepLatest: 1, keepDays: null }, runs.slice(0, 1), 'run 4', now), [])
})

test('the one that was just made is the newest, even where the clock was set back since the others', () => {
  const found = superfluous({ keepLatest: 2, keepDays: null }, runs, 'run 4', now).map(({ id }) => id)
  assert.deepEqual(found.toSorted(), ['run 5', 'run 6', 'run 7'])
})

const named = (database: string, ids: string[], databaseId?: string) =>
  ids.map((id, place) => ({
    ...of(database, databaseId),
    id,
    finishedAt: new Date(now.getTime() - (9 - place) * day).toISOString(),
  }))

test('dumps of a name of before are counted apart: the newest of each name stays', () => {
  const all = [...named('old', ['1', '2', '3']), ...named('new', ['4', '5'])]
  const gone = (keepLatest: number | null, keepDays: number | null) =>
    superfluous({ keepLatest, keepDays }, all, '5', now)
      .map(({ id }) => id)
      .toSorted()
  assert.deepEqual(gone(2, null), ['1'])
  assert.deepEqual(gone(1, null), ['1', '2', '4'])
  assert.deepEqual(gone(null, 1), ['1', '2', '4'])
})

test('two services with a database of one name are counted apart', () => {
  const all = [...named('shop', ['1', '2'], 'one'), ...named('shop', ['3'], 'other')]
  assert.deepEqual(
    superfluous({ keepLatest: 1, keepDays: null }, all, '3', now).map(({ id }) => id),
    ['1'],
  )
})

const heldCases: [
  what: string,
  holding: string[],
  keepLatest: number | null,
  keepDays: number | null,
  gone: string[],
][] = [
  ['nothing holds', [], 1, null, ['1', '2', '3', '4']],
  ['the newest holds all before it', ['5'], 1, null, []],
  [
    'several hold what is before the first of them, and go by the rules themselves',
    ['3', '4', '5'],
    1,
    null,
    ['3', '4'],
  ],
  ['the days do not count either for what is held', ['4', '5'], null, 1, ['4']],
  ['without rules nothing goes', ['5'], null, null, []],
]
for (const [what, holding, keepLatest, keepDays, gone] of heldCases) {
  test(`shrunk: ${what}`, () => {
    const all = named('shop', ['1', '2', '3', '4', '5']).map((it) => ({
      ...it,
      holdsOlder: holding.includes(it.id) ? (1 as const) : (0 as const),
    }))
    assert.deepEqual(
      superfluous({ keepLatest, keepDays }, all, '5', now)
        .map(({ id }) => id)
        .toSorted(),
      gone,
    )
  })
}

test('shrunk: one name does not hold the dumps of another', () => {
  const holding = named('new', ['3', '4']).map((it) => ({ ...it, holdsOlder: 1 as const }))
  const all = [...named('old', ['1', '2']), ...holding]
  assert.deepEqual(
    superfluous({ keepLatest: 1, keepDays: null }, all, '4', now)
      .map(({ id }) => id)
      .toSorted(),
    ['1', '3'],
  )
})
