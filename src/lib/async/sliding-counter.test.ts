/** Tests the limit of events for each key in a period. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slidingCounter } from './sliding-counter.ts'

test('counts each key separately, and starts again in the next period', () => {
  const countEvent = slidingCounter(2, 1000)
  const events: [key: string, nowMs: number, isWithinLimit: boolean][] = [
    ['ada', 0, true],
    ['ada', 1, true],
    ['ada', 2, false],
    ['eve', 3, true],
    ['ada', 999, false],
    ['ada', 1000, true],
    ['eve', 1000, true],
    ['eve', 1500, true],
    ['eve', 1999, false],
    ['eve', 9000, true],
  ]
  for (const [key, nowMs, expected] of events) assert.equal(countEvent(key, nowMs), expected, `${key} at ${nowMs}`)
})
