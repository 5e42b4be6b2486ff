/** The verdict on a run, as tables. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDataDifference, isLost, remarks } from '../../scripts/test/verdict.ts'

test('a run is lost if a file failed or if three are unstable', () => {
  assert.equal(isLost({ unstable: [], failed: [] }), false)
  assert.equal(isLost({ unstable: ['a', 'b'], failed: [] }), false)
  assert.equal(isLost({ unstable: ['a', 'b', 'c'], failed: [] }), true)
  assert.equal(isLost({ unstable: [], failed: ['a'] }), true)
})

test('the end of the report names each file that failed or is unstable', () => {
  assert.deepEqual(remarks({ unstable: [], failed: [] }), [])
  assert.deepEqual(remarks({ unstable: ['a', 'b'], failed: ['c'] }), [
    'unstable: a failed at its first attempt and passed at its second',
    'unstable: b failed at its first attempt and passed at its second',
    'failed: c',
  ])
  assert.match(
    remarks({ unstable: ['a', 'b', 'c'], failed: [] }).at(-1)!,
    /because 3 files are unstable; 2 are allowed/,
  )
})

test('a difference of data is found among the causes of an error', () => {
  const difference = Object.assign(new Error('2 rows are missing'), { code: 'ERR_DATA_DIFFERS' })
  const cases: [unknown, boolean][] = [
    [difference, true],
    [new Error('test failed', { cause: new Error('the comparison failed', { cause: difference }) }), true],
    [new AggregateError([new Error('timed out'), difference]), true],
    [new Error('timed out', { cause: 'ERR_DATA_DIFFERS' }), false],
    [Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), false],
    [undefined, false],
  ]
  for (const [error, expected] of cases) assert.equal(isDataDifference(error), expected, String(error))
})
