/** What may go: only what every rule lets go, and never the newest. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { superfluous } from './retention.ts'

const day = 24 * 3600_000
const now = new Date('2026-11-22T00:00:00.000Z')
/** One a day, the last of them a day old: run 1 is the newest. */
const runs = [5, 4, 3, 2, 1].map((age) =>
  ({ id: `run ${9 - age}`, age, finishedAt: new Date(now.getTime() - age * day + 1).toISOString() }))

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
