/** Tests the suggestions for misspelt names. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearest } from './nearest.ts'

const names = ['shop/orders', 'shop/users', 'blog/posts', 'orders-old']
const cases: [name: string, expected: string[]][] = [
  ['shop/ordes', ['shop/orders']],
  ['SHOP/ORDERS', ['shop/orders', 'shop/users']],
  ['orders', ['orders-old', 'shop/orders']],
  ['something else', []],
  ['', []],
]
for (const [name, expected] of cases) {
  test(`suggests ${expected.join(', ') || 'nothing'} for '${name}'`, () =>
    assert.deepEqual(nearest(name, names), expected))
}
