import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dueForCount } from './loop.ts'

const rows = Array.from({ length: 30 }, (_, i) => ({ id: String(i) }))
const minute = 60_000

test('the volumes of a tenth of the databases are counted in each turn, those that waited longest first', () => {
  const countedAt = new Map<string, number>()
  const counts: number[] = []
  for (let turn = 0; turn < 30; turn++) {
    const nowMs = 1_000_000_000 + turn * minute
    const due = dueForCount(rows, (id) => countedAt.get(id) ?? 0, nowMs)
    counts.push(due.size)
    for (const id of due) countedAt.set(id, nowMs)
  }
  assert.ok(
    counts.every((count) => count === 3),
    String(counts),
  )
  assert.equal(countedAt.size, rows.length)
})

test('few databases are counted at once, and again after ten minutes', () => {
  const two = rows.slice(0, 2)
  assert.equal(dueForCount(two, () => 0, 1e12).size, 2)
  assert.equal(dueForCount(two, () => 1e12 - 9 * minute, 1e12).size, 0)
  // They were counted some seconds after the start of a turn.
  assert.equal(dueForCount(two, () => 1e12 - 10 * minute + 8000, 1e12).size, 2)
})

test('volumes are counted although the clock was set back', () => {
  assert.equal(dueForCount(rows.slice(0, 2), () => 1e12 + 60 * minute, 1e12).size, 2)
})
