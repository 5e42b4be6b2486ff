import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idGenerator } from './id.ts'

test('IDs sort by creation time, also within a millisecond and if the clock goes back', () => {
  let now = 1_800_000_000_000
  const newId = idGenerator(() => now)
  const ids = Array.from({ length: 10_000 }, () => newId())
  now -= 60_000
  ids.push(newId())
  now += 120_000
  ids.push(newId())
  assert.deepEqual(ids, [...ids].sort())
  assert.equal(new Set(ids).size, ids.length)
})

test('IDs are UUIDs of version 7', () => {
  assert.match(idGenerator()(), /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})
