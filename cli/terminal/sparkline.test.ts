import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sparkline } from './sparkline.ts'

const drawings: [title: string, values: (number | null)[], width: number, expected: string][] = [
  ['a value for each column, from 0 to the largest', [0, 1, 2, 3, 4, 5, 6, 7], 20, '▁▂▃▄▅▆▇█'],
  ['the largest of the values that share a column', [0, 7, 3, 0], 2, '█▄'],
  ['a space where nothing was measured', [null, 7, null, null], 4, ' █  '],
  ['zeros at the bottom', [0, 0], 4, '▁▁'],
  ['nothing for no values', [], 4, ''],
  ['values below zero at the bottom', [-5, 5], 2, '▁█'],
]
for (const [title, values, width, expected] of drawings) {
  test(`draws ${title}`, () => assert.equal(sparkline(values, width), expected))
}

test('draws the smallest of the values that share a column, and hides no value below the maximum', () => {
  assert.equal(sparkline([7, 7, 7, 1, null, 7], 3, 'smallest'), '█▂█')
  assert.equal(sparkline([7, 1], 1, 'smallest'), '▂')
  assert.equal(sparkline([1, 0.99, null], 3, 'smallest'), '█▇ ')
})
