import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daySeconds, maxPoints, merged, resolutionFor } from './levels.ts'

const now = 2_000_000_000
const ranges: [title: string, fromAgo: number, untilAgo: number, seconds: number, each: number][] = [
  ['the last hour', 3600, 0, 60, 1],
  ['the last 24 hours', daySeconds, 0, 60, 1],
  ['an hour two days ago', 2 * daySeconds, 2 * daySeconds - 3600, 600, 1],
  ['the last week', 7 * daySeconds, 0, 600, 1],
  ['the last 30 days', 30 * daySeconds, 0, 600, 3],
  ['the last year', 365 * daySeconds, 0, 3600, 6],
  ['longer than a year', 700 * daySeconds, 0, 3600, 12],
]
for (const [title, fromAgo, untilAgo, seconds, each] of ranges) {
  test(`${title} is answered in steps of ${each} times ${seconds} s`, () => {
    const found = resolutionFor(now - fromAgo, now - untilAgo, now)
    assert.deepEqual([found.level.seconds, found.each], [seconds, each])
    assert.ok((fromAgo - untilAgo) / seconds / each <= maxPoints)
  })
}

test('points become one with their mean and their maximum, without those that were not measured', () => {
  const none = { mean: null, max: null }
  assert.deepEqual(merged([{ mean: 1, max: 5 }, none, { mean: 3, max: 4 }]), { mean: 2, max: 5 })
  assert.deepEqual(merged([none, none]), none)
  assert.deepEqual(merged([]), none)
})
