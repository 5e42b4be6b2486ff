/** When a loop is late. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LoopFigures } from '../lib/async/loop.ts'
import { lateLoops } from './health.ts'

const good: LoopFigures = { name: 'watch', periodMs: 100_000, failures: 0, lastTurn: { tookMs: 5, agoMs: 1000 } }
const endedAgo = (agoMs: number) => ({ lastTurn: { tookMs: 5, agoMs } })

const cases: [title: string, changes: Partial<LoopFigures>, isLate: boolean][] = [
  ['a loop that has just turned', {}, false],
  ['a loop whose last turn is less than twice its period ago', endedAgo(199_000), false],
  ['a loop whose last turn is more than twice its period ago', endedAgo(201_000), true],
  ['a loop with a short period, after less than a minute', { periodMs: 1000, ...endedAgo(59_000) }, false],
  ['a loop with a short period, after more than a minute', { periodMs: 1000, ...endedAgo(61_000) }, true],
  ['a loop that has not turned yet', { lastTurn: null }, true],
  ['a loop whose last turn failed', { failures: 1 }, false],
  ['a loop whose last turns failed', { failures: 2 }, true],
  ['a stream that lasts', { periodMs: null, lastTurn: null }, false],
  ['a stream that ended long ago, and lasts again', { periodMs: null, ...endedAgo(900_000) }, false],
  ['a stream that cannot be opened', { periodMs: null, failures: 2 }, true],
]
for (const [title, changes, isLate] of cases) {
  test(`${title} is ${isLate ? 'late' : 'not late'}`, () => {
    assert.deepEqual(lateLoops([good, { ...good, name: 'other', ...changes }]), isLate ? ['other'] : [])
  })
}
