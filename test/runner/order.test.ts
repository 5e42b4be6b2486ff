/** The order of test files, as tables. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inOrder, nextFile } from '../../scripts/test/order.ts'

const [crash, ports] = ['test/e2e/crash.test.ts', 'test/e2e/ports.test.ts'] // of the same group
const [move] = ['test/e2e/move.test.ts'] // of another group

test('files start in the order of their last durations, the longest first', () => {
  const durations = new Map([
    ['a', 1],
    ['b', 30],
    ['c', 7],
  ])
  assert.deepEqual(inOrder(['a', 'b', 'c'], durations), ['b', 'c', 'a'])
})

test('a file that was never measured starts first, and members of a group before the others', () => {
  assert.deepEqual(inOrder(['a', 'new', ports], new Map([['a', 100]])), [ports, 'new', 'a'])
  assert.deepEqual(inOrder(['b', 'a', move], new Map()), [move, 'a', 'b'])
})

test('a member of a group counts with the members that wait for it', () => {
  const durations = new Map([
    [crash, 50],
    [ports, 40],
    ['a', 80],
    ['b', 45],
  ])
  assert.deepEqual(inOrder(['a', 'b', crash, ports], durations), [crash, 'a', 'b', ports])
})

test('a member of a group waits until no other member runs', () => {
  assert.equal(nextFile([ports, 'a'], []), ports)
  assert.equal(nextFile([ports, 'a'], [crash]), 'a')
  assert.equal(nextFile([ports, move], [crash]), move)
  assert.equal(nextFile([ports], [crash, 'a']), undefined)
  assert.equal(nextFile([], ['a']), undefined)
})
