/** Tests lists of names in messages. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listOf } from './listing.ts'

test('lists at most ten names and counts the rest', () => {
  const names = Array.from({ length: 12 }, (_, at) => `n${at}`)
  assert.equal(listOf(['a', 'b']), 'a, b')
  assert.equal(listOf(names.slice(0, 10)), 'n0, n1, n2, n3, n4, n5, n6, n7, n8, n9')
  assert.equal(listOf(names), 'n0, n1, n2, n3, n4, n5, n6, n7, n8, n9 and 2 more')
})
