import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recent } from './recent.ts'

test('remembers a key until the period is over', () => {
  const keys = recent(1000)
  assert.equal(keys.has('a', 0), false)
  keys.add('a', 0)
  keys.add('b', 999)
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => keys.has(key, 999)),
    [true, true, false],
  )
  assert.equal(keys.has('a', 1000), false)
  keys.add('c', 5000)
  assert.deepEqual([keys.has('b', 5999), keys.has('c', 5999), keys.has('c', 6000)], [false, true, false])
})
