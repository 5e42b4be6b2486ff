import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clockSet } from './clock-set.ts'

test('reports a change of the clock until it is accepted, and reports drift only from five seconds on', () => {
  let [now, steady] = [1_000_000, 0]
  const clock = clockSet(
    () => now,
    () => steady,
  )
  const pass = (ms: number, setMs = 0) => {
    steady += ms
    now += ms + setMs
    const byMs = clock.byMs()
    assert.equal(clock.byMs(), byMs)
    clock.accept(byMs)
    return byMs
  }
  assert.equal(clock.byMs(), 0)
  assert.equal(pass(3600_000), 0)
  assert.equal(pass(1000, 86_400_000), 86_400_000)
  assert.equal(pass(1000), 0)
  assert.equal(pass(1000, -60_000), -60_000)
  assert.deepEqual(
    Array.from({ length: 4 }, () => pass(1000, 1300)),
    [0, 0, 0, 5200],
  )
})
