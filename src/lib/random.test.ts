/** Bytes of the pool are given out once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomSource } from './random.ts'

const random = randomSource()

test('of any length, and never the same twice, over the end of the pool too', () => {
  const given = Array.from({ length: 1000 }, (_, at) => random(12 + (at % 40)))
  assert.deepEqual(
    given.map(({ length }) => length),
    given.map((_, at) => 12 + (at % 40)),
  )
  assert.equal(new Set(given.map((bytes) => bytes.toString('hex'))).size, 1000)
  // One byte that is always 0 would show in a thousand.
  for (let at = 0; at < 12; at++) assert.ok(new Set(given.map((bytes) => bytes[at])).size > 200)
  assert.equal(random(2048).length, 2048)
  assert.throws(() => random(2049), RangeError)
})

test('what was given stays as it was', () => {
  const bytes = random(32)
  const before = bytes.toString('hex')
  for (let count = 0; count < 500; count++) random(32)
  assert.equal(bytes.toString('hex'), before)
})
